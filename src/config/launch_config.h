// What one launch says: a command, script or manifest that starts ranks. Its values are read by the typed
// fields of config/fields.h and know where they were written. Underneath it is one tree: rules have paths of
// their own into it, and read it through a view.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

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

// The tree that the paths of rules lead into, as long as its launch is there. For check/rules.
class RuleView {
 public:
  RuleView(const base::Json& tree, const std::map<std::string, Origin, std::less<>>& origins)
      : tree_(&tree), origins_(&origins) {}

  const base::Json& tree() const { return *tree_; }
  const base::Json* find(std::string_view path) const;  // nullptr: not there
  // Of the value, of the nearest that it is part of, or of a part of it.
  const Origin* origin_of(std::string_view path) const;

 private:
  const base::Json* tree_;
  const std::map<std::string, Origin, std::less<>>* origins_;
};

class LaunchConfig {
 public:
  // Nothing: it is not there, or is of another type. Numbers may be written as text, and read as text.
  template <typename T>
  std::optional<Value<T>> get(const Field<T>& field) const {
    return value_at<T>(field.text());
  }
  template <typename T>
  std::optional<Value<T>> get(const NamedField<T>& field) const {
    return value_at<T>(field.text());
  }

  // The value alone; empty where get() gives nothing.
  std::string text(const Field<std::string>& field) const { return text_at(field.text()); }
  std::string text(const NamedField<std::string>& field) const { return text_at(field.text()); }
  std::optional<std::int64_t> number(const Field<std::int64_t>& field) const {
    return number_at(field.text());
  }
  std::optional<std::int64_t> number(const NamedField<std::int64_t>& field) const {
    return number_at(field.text());
  }

  bool has(const FieldPath& field) const { return view().find(field.text()) != nullptr; }
  bool empty() const { return tree_.empty(); }
  std::size_t count(const FieldPath& list) const;  // of its items
  // A value of any type as text; empty: it is not there.
  std::string as_written(const FieldPath& field) const;
  const Origin* origin_of(const FieldPath& field) const { return view().origin_of(field.text()); }

  RuleView view() const { return {tree_, origins_}; }

  // What was there is replaced. A number after an array's path is a place in it; the next free one appends.
  void set(const FieldPath& field, base::Json value, const Origin& origin) {
    set_at(field.text(), std::move(value), origin);
  }
  // Only where nothing is there yet.
  void set_default(const FieldPath& field, base::Json value, const Origin& origin);
  // The same: the first of these that has a value gives it, with its origin.
  void set_from(const FieldPath& field, std::initializer_list<FieldPath> sources);
  void append(const FieldPath& list, base::Json value, const Origin& origin);
  // An empty group at the end of the list.
  NamedField<Group> append_group(const Field<Listed>& list, const Origin& origin) {
    append(list, base::Json::object(), origin);
    return Fields::item(list, count(list) - 1);
  }
  NamedField<Group> append_group(const NamedField<Listed>& list, const Origin& origin) {
    append(list, base::Json::object(), origin);
    return Fields::item(list, count(list) - 1);
  }
  void erase(const FieldPath& field);

  void take_from(const LaunchConfig& other, const FieldPath& field);
  // Everything of `other` that is not here yet.
  void add_missing(const LaunchConfig& other);

 private:
  template <typename T>
  std::optional<Value<T>> value_at(std::string_view path) const;
  std::string text_at(std::string_view path) const;  // empty: not there, or neither text nor a whole number
  std::optional<std::int64_t> number_at(std::string_view path) const;
  void set_at(std::string_view path, base::Json value, const Origin& origin);

  base::Json tree_ = base::Json::object();
  std::map<std::string, Origin, std::less<>> origins_;
};

// Instances for the types of config/fields.h alone: another type is an error of the linker.
extern template std::optional<Value<bool>> LaunchConfig::value_at(std::string_view) const;
extern template std::optional<Value<std::int64_t>> LaunchConfig::value_at(std::string_view) const;
extern template std::optional<Value<std::string>> LaunchConfig::value_at(std::string_view) const;
extern template std::optional<Value<TextList>> LaunchConfig::value_at(std::string_view) const;
extern template std::optional<Value<TextMap>> LaunchConfig::value_at(std::string_view) const;
extern template std::optional<Value<ClusterTasks>> LaunchConfig::value_at(std::string_view) const;

// torchrun with a backend that lets nodes come and go, and decides their ranks itself.
bool is_elastic(const LaunchConfig& launch);

// A whole number in text, if it is one.
std::optional<std::int64_t> whole_number(std::string_view text);

}  // namespace lockstep::config
