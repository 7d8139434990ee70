#include "diagnose/logs/embedded.h"

// The packed files as they are, between two labels each.
#define LOCKSTEP_EMBED(name, file)                                                      \
  asm(".section .rodata\n.balign 64\n.global lockstep_" #name "_begin\nlockstep_" #name \
      "_begin:\n.incbin \"" file "\"\n.global lockstep_" #name "_end\nlockstep_" #name  \
      "_end:\n.byte 0\n.previous\n");                                                   \
  extern "C" const char lockstep_##name##_begin[];                                      \
  extern "C" const char lockstep_##name##_end[];

LOCKSTEP_EMBED(entries, LOCKSTEP_PACKED_CATALOGUE "/entries.json")
LOCKSTEP_EMBED(telling, LOCKSTEP_PACKED_CATALOGUE "/telling.set")
LOCKSTEP_EMBED(quiet, LOCKSTEP_PACKED_CATALOGUE "/quiet.set")
LOCKSTEP_EMBED(facts, LOCKSTEP_PACKED_CATALOGUE "/facts.set")
LOCKSTEP_EMBED(prefilter, LOCKSTEP_PACKED_CATALOGUE "/prefilter")
LOCKSTEP_EMBED(guess, LOCKSTEP_GUESS_MODEL)
LOCKSTEP_EMBED(confidence, LOCKSTEP_CONFIDENCE_MODEL)

namespace lockstep::logs {

std::string_view embedded_guess_model() {
  return {lockstep_guess_begin, lockstep_guess_end};
}

std::string_view embedded_confidence_model() {
  return {lockstep_confidence_begin, lockstep_confidence_end};
}

std::string_view embedded_entries() {
  return {lockstep_entries_begin, lockstep_entries_end};
}

std::string_view embedded_telling_set() {
  return {lockstep_telling_begin, lockstep_telling_end};
}

std::string_view embedded_fact_set() {
  return {lockstep_facts_begin, lockstep_facts_end};
}

std::string_view embedded_prefilter() {
  return {lockstep_prefilter_begin, lockstep_prefilter_end};
}

std::string_view embedded_quiet_set() {
  return {lockstep_quiet_begin, lockstep_quiet_end};
}

}  // namespace lockstep::logs
