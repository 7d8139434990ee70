// The functions of the language that take plain values.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "check/rules/expression.h"

namespace lockstep::rules {

// All of them known.
class Arguments {
 public:
  explicit Arguments(std::span<const Value> values) : values_(values) {}
  const base::Json& operator[](std::size_t place) const { return values_[place].json(); }

 private:
  std::span<const Value> values_;
};

// The place of a function that takes so many arguments; nullopt: the language has none.
std::optional<std::size_t> function_named(std::string_view name, std::size_t arguments);

// Nullopt: it cannot be said of these arguments.
std::optional<base::Json> call_function(std::size_t function, Arguments arguments);

// Whether a list has the item, or a text the part.
std::optional<base::Json> contains(Arguments arguments);

// Text, or a number as people write it.
std::optional<std::string> as_text(const base::Json& json);
// A number, or text that is one.
std::optional<std::int64_t> as_number(const base::Json& json);
bool are_equal(const base::Json& one, const base::Json& other);

}  // namespace lockstep::rules
