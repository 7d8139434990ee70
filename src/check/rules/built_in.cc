#include <utility>

#include "base/check.h"
#include "base/json.h"
#include "check/rules/catalogue.h"
#include "check/rules/embedded.h"

namespace lockstep::rules {

const std::vector<Rule>& built_in_rules() {
  static const std::vector<Rule> rules = [] {
    const auto entries = base::parse_json(embedded_rules(), "built-in rules");
    CHECK(entries.ok(), "the built-in rules are JSON");
    auto decoded = decode_rules(entries.value());
    CHECK(decoded.ok(), "the built-in rules are sound");
    return std::move(decoded).value();
  }();
  return rules;
}

}  // namespace lockstep::rules
