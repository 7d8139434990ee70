// Puts a file into the binary as it is. LOCKSTEP_EMBED(rules, "/path") gives the two labels
// lockstep_rules_begin and lockstep_rules_end; a zero byte stands behind the end.
#pragma once

#define LOCKSTEP_EMBED(name, file)                                                      \
  asm(".section .rodata\n.balign 64\n.global lockstep_" #name "_begin\nlockstep_" #name \
      "_begin:\n.incbin \"" file "\"\n.global lockstep_" #name "_end\nlockstep_" #name  \
      "_end:\n.byte 0\n.previous\n");                                                   \
  extern "C" const char lockstep_##name##_begin[];                                      \
  extern "C" const char lockstep_##name##_end[];
