// What an expression of a rule has as its value: a part of the configuration or of the facts, or something
// computed. Not known is a value too: whatever is asked of it is not known either, so a rule stays silent.
#pragma once

#include <string>

#include "base/json.h"

namespace lockstep::rules {

class Value {
 public:
  Value() = default;  // not known
  explicit Value(base::Json computed) : own_(std::move(computed)), is_known_(true) {}
  Value(const base::Json& part, std::string path) : part_(&part), path_(std::move(path)), is_known_(true) {}

  bool is_known() const { return is_known_; }
  bool is_part() const { return part_ != nullptr; }
  const base::Json& json() const { return part_ != nullptr ? *part_ : own_; }
  const std::string& path() const { return path_; }  // of a part; empty: computed, or nobody wants to know

 private:
  const base::Json* part_ = nullptr;
  base::Json own_;
  std::string path_;
  bool is_known_ = false;
};

}  // namespace lockstep::rules
