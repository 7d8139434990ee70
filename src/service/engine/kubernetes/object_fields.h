// Fields of objects that another program wrote: what is not there, or of another kind, is empty.
#pragma once

#include <string>

#include "base/json.h"

namespace lockstep::service {

inline const base::Json& field_at(const base::Json& object) {
  return object;
}

template <typename... Rest>
const base::Json& field_at(const base::Json& object, const char* name, Rest... rest) {
  static const base::Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(name);
  return found == object.end() ? nothing : field_at(*found, rest...);
}

template <typename... Names>
std::string text_at(const base::Json& object, Names... names) {
  const base::Json& found = field_at(object, names...);
  return found.is_string() ? found.get<std::string>() : std::string();
}

// To go through the items of a list; an empty one where there is none.
template <typename... Names>
const base::Json& list_at(const base::Json& object, Names... names) {
  static const base::Json empty = base::Json::array();
  const base::Json& found = field_at(object, names...);
  return found.is_array() ? found : empty;
}

}  // namespace lockstep::service
