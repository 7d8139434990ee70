// JSON, at one edge: nlohmann's value type with members in the order they were written, our errors, and
// output that is always valid UTF-8. Large foreign inputs are not read through this but streamed.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/indexed_map.h"
#include "base/result.h"

namespace lockstep::base {

using Json = nlohmann::basic_json<IndexedMap>;

// Copying and printing a value recurse; text nested deeper than this is refused before it can exhaust the
// stack.
inline constexpr int kDeepestJson = 64;

// `where` names the source in the error, with the line and column of the fault. Numbers that no double holds
// are a fault too.
Result<Json> parse_json(std::string_view text, std::string_view where);

enum class JsonLayout { kIndented, kOneLine };
std::string to_text(const Json& json, JsonLayout layout);

// Fields of objects that another program wrote: what is not there, or of another kind, is empty.
inline const Json& field_at(const Json& object) {
  return object;
}

template <typename... Rest>
const Json& field_at(const Json& object, const char* name, Rest... rest) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(name);
  return found == object.end() ? nothing : field_at(*found, rest...);
}

template <typename... Names>
std::string text_at(const Json& object, Names... names) {
  const Json& found = field_at(object, names...);
  return found.is_string() ? found.get<std::string>() : std::string();
}

// To go through the items of a list; an empty one where there is none.
template <typename... Names>
const Json& list_at(const Json& object, Names... names) {
  static const Json empty = Json::array();
  const Json& found = field_at(object, names...);
  return found.is_array() ? found : empty;
}

}  // namespace lockstep::base
