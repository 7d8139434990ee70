// The packed rules inside the binary.
#include "check/rules/embedded.h"

asm(".section .rodata\n.balign 64\n.global lockstep_rules_begin\nlockstep_rules_begin:\n.incbin "
    "\"" LOCKSTEP_PACKED_RULES "\"\n.global lockstep_rules_end\nlockstep_rules_end:\n.byte 0\n.previous\n");
extern "C" const char lockstep_rules_begin[];
extern "C" const char lockstep_rules_end[];

namespace lockstep::rules {

std::string_view embedded_rules() {
  return {lockstep_rules_begin, lockstep_rules_end};
}

}  // namespace lockstep::rules
