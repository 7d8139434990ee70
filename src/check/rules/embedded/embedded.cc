// The packed rules inside the binary.
#include "check/rules/embedded.h"

#include "base/embed.h"

LOCKSTEP_EMBED(rules, LOCKSTEP_PACKED_RULES)

namespace lockstep::rules {

std::string_view embedded_rules() {
  return {lockstep_rules_begin, lockstep_rules_end};
}

}  // namespace lockstep::rules
