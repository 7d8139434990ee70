// Values of a launch configuration as one tree, each with its origin. A path names a value. Rules have paths
// of their own; code asks by the typed fields of config/fields.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/json.h"
#include "config/fields.h"

namespace lockstep::config {

// Where a value of the configuration was written.
struct Origin {
  std::string file = {};  // as the user named it; empty: the command line or the environment of this process
  std::optional<std::int64_t> line = {};
  std::string how =
      {};  // "flag --nnodes", "variable MASTER_ADDR", "default of torchrun", "key spec.replicas"

  bool operator==(const Origin&) const = default;
};

template <typename T>
struct Value {
  T value;
  Origin origin;
};

class LaunchConfig {
 public:
  // What was there is replaced. A number after an array's path is a place in it; the next free one appends.
  void set(std::string_view path, base::Json value, const Origin& origin);
  // Only where nothing is there yet.
  void set_default(std::string_view path, base::Json value, const Origin& origin);
  // Adds an item and says its path.
  std::string append(std::string_view path, base::Json value, const Origin& origin);

  void erase(std::string_view path);

  // Nothing: it is not there, or is of another type. Numbers may be written as text, and read as text.
  template <typename T>
  std::optional<Value<T>> get(const Field<T>& field) const {
    return typed<T>(field.path);
  }
  template <typename T>
  std::optional<Value<T>> get(const NamedField<T>& field) const {
    return typed<T>(field.path);
  }

  const base::Json* find(std::string_view path) const;  // nullptr: not there
  bool has(std::string_view path) const { return find(path) != nullptr; }
  std::string text(std::string_view path) const;  // empty: not there, or no text
  std::optional<std::int64_t> number(std::string_view path) const;
  std::size_t count(std::string_view path) const;  // of an array's items

  const base::Json& tree() const { return tree_; }
  // Of the value, of the nearest that it is part of, or of a part of it.
  const Origin* origin_of(std::string_view path) const;

  // Everything of `other` that is not here yet.
  void add_missing(const LaunchConfig& other);

 private:
  template <typename T>
  std::optional<Value<T>> typed(std::string_view path) const;

  base::Json tree_ = base::Json::object();
  std::map<std::string, Origin, std::less<>> origins_;
};

template <typename T>
std::optional<Value<T>> LaunchConfig::typed(std::string_view path) const {
  const base::Json* const found = find(path);
  const Origin* const origin = origin_of(path);
  if (found == nullptr || origin == nullptr) return std::nullopt;
  if constexpr (std::is_same_v<T, bool>) {
    if (found->is_boolean()) return Value<T>{found->get<bool>(), *origin};
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    if (const auto whole = number(path)) return Value<T>{*whole, *origin};
  } else {
    static_assert(std::is_same_v<T, std::string>, "a group has no value of its own");
    if (found->is_string() || found->is_number_integer()) return Value<T>{text(path), *origin};
  }
  return std::nullopt;
}

// A whole number in text, if it is one.
std::optional<std::int64_t> whole_number(std::string_view text);

}  // namespace lockstep::config
