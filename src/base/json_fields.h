// Fields of objects that another program wrote: what is not there, or of another kind, is empty.
#pragma once

#include <string>

#include "base/json.h"

namespace lockstep::base {

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
