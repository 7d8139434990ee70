#include "catalogue/embedded.h"

#include "base/embed.h"

LOCKSTEP_EMBED(entries, LOCKSTEP_PACKED_CATALOGUE "/entries.json")
LOCKSTEP_EMBED(advice, LOCKSTEP_PACKED_CATALOGUE "/advice.tsv")
LOCKSTEP_EMBED(telling, LOCKSTEP_PACKED_CATALOGUE "/telling.set")
LOCKSTEP_EMBED(quiet, LOCKSTEP_PACKED_CATALOGUE "/quiet.set")
LOCKSTEP_EMBED(facts, LOCKSTEP_PACKED_CATALOGUE "/facts.set")
LOCKSTEP_EMBED(prefilter, LOCKSTEP_PACKED_CATALOGUE "/prefilter")

namespace lockstep::catalogue {

std::string_view embedded_entries() {
  return {lockstep_entries_begin, lockstep_entries_end};
}

std::string_view embedded_advice() {
  return {lockstep_advice_begin, lockstep_advice_end};
}

std::string_view embedded_telling_set() {
  return {lockstep_telling_begin, lockstep_telling_end};
}

std::string_view embedded_quiet_set() {
  return {lockstep_quiet_begin, lockstep_quiet_end};
}

std::string_view embedded_fact_set() {
  return {lockstep_facts_begin, lockstep_facts_end};
}

std::string_view embedded_prefilter() {
  return {lockstep_prefilter_begin, lockstep_prefilter_end};
}

}  // namespace lockstep::catalogue
