// An expression over the values around a rule.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/rules/expression.h"

namespace lockstep::rules {

// The names that an expression may use, innermost first: {"host", ...}, then the members of the launch.
struct Scope {
  std::vector<std::pair<std::string, Value>> names;
  const base::Json* launch = nullptr;  // its members are names: "torchrun", "env"
};

struct Outcome {
  Value value;
  std::vector<std::string> read;  // paths of the known parts that were looked at, each once
};

Outcome evaluate(const Expression& expression, const Scope& scope);
// The same without what was looked at.
Value value_of(const Expression& expression, const Scope& scope);

inline bool is_true(const Value& value) {
  return value.is_known() && value.json().is_boolean() && value.json().get<bool>();
}

// A value as people write it: a list with commas.
std::string in_words(const base::Json& json);

}  // namespace lockstep::rules
