// The rules that the binary carries, as the build packed them.
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/embed.h"
#include "base/json.h"
#include "check/rules/catalogue.h"

LOCKSTEP_EMBED(rules, LOCKSTEP_PACKED_RULES)

namespace lockstep::rules {

const std::vector<Rule>& built_in_rules() {
  static const std::vector<Rule> rules = [] {
    const auto entries =
        base::parse_json(std::string_view(lockstep_rules_begin, lockstep_rules_end), "built-in rules");
    CHECK(entries.ok(), "the built-in rules are JSON");
    auto decoded = decode_rules(entries.value());
    CHECK(decoded.ok(), "the built-in rules are sound");
    return std::move(decoded).value();
  }();
  return rules;
}

}  // namespace lockstep::rules
