// The packed rules inside the binary.
#include "base/check.h"
#include "rules/catalogue.h"

asm(".section .rodata\n.balign 64\n.global lockstep_rules_begin\nlockstep_rules_begin:\n.incbin "
    "\"" LOCKSTEP_PACKED_RULES "\"\n.global lockstep_rules_end\nlockstep_rules_end:\n.byte 0\n.previous\n");
extern "C" const char lockstep_rules_begin[];
extern "C" const char lockstep_rules_end[];

namespace lockstep::rules {

const std::vector<Rule>& built_in_rules() {
  static const std::vector<Rule> rules = [] {
    const auto entries = base::parse_json({lockstep_rules_begin, lockstep_rules_end}, "built-in rules");
    CHECK(entries.ok(), "the built-in rules are JSON");
    auto decoded = decode_rules(entries.value());
    CHECK(decoded.ok(), "the built-in rules are sound");
    return std::move(decoded).value();
  }();
  return rules;
}

}  // namespace lockstep::rules
