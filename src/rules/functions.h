// The functions of the language that take plain values.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"

namespace lockstep::rules {

// Nullopt: it cannot be said of these arguments. `name` is one that is_function() knows.
std::optional<base::Json> call_function(std::string_view name, std::span<const base::Json> arguments);

// A number, or text that is one.
std::optional<std::int64_t> as_number(const base::Json& json);
bool are_equal(const base::Json& one, const base::Json& other);

}  // namespace lockstep::rules
