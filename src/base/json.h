// JSON, at one edge: nlohmann's value type with members in the order they were written, our errors, and
// output that is always valid UTF-8. Large foreign inputs are not read through this but streamed.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace lockstep::base {

using Json = nlohmann::ordered_json;

// Copying and printing a value recurse; text nested deeper than this is refused before it can exhaust the
// stack.
inline constexpr int kDeepestJson = 64;

// `where` names the source in the error, with the line and column of the fault. Numbers that no double holds
// are a fault too.
Result<Json> parse_json(std::string_view text, std::string_view where);

enum class JsonLayout { kIndented, kOneLine };
std::string to_text(const Json& json, JsonLayout layout);

}  // namespace lockstep::base
