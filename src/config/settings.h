// Values of a launch configuration as one tree, each with its origin. A path names a value:
// "env/MASTER_ADDR", "torchrun/nnodes", "host_list/0/name"; docs/formats/launch-values.md lists them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "config/origin.h"

namespace lockstep::config {

class Settings {
 public:
  // What was there is replaced. A number after an array's path is a place in it; the next free one appends.
  void set(std::string_view path, base::Json value, const Origin& origin);
  // Only where nothing is there yet.
  void set_default(std::string_view path, base::Json value, const Origin& origin);
  // Adds an item and says its path.
  std::string append(std::string_view path, base::Json value, const Origin& origin);

  void erase(std::string_view path);

  const base::Json* find(std::string_view path) const;  // nullptr: not there
  bool has(std::string_view path) const { return find(path) != nullptr; }
  std::string text(std::string_view path) const;  // empty: not there, or no text
  std::optional<std::int64_t> number(std::string_view path) const;
  std::size_t count(std::string_view path) const;  // of an array's items

  const base::Json& tree() const { return tree_; }
  // Of the value, of the nearest that it is part of, or of a part of it.
  const Origin* origin_of(std::string_view path) const;

  // Everything of `other` that is not here yet.
  void add_missing(const Settings& other);

 private:
  base::Json tree_ = base::Json::object();
  std::map<std::string, Origin, std::less<>> origins_;
};

// A whole number in text, if it is one.
std::optional<std::int64_t> whole_number(std::string_view text);

}  // namespace lockstep::config
