// Lines of "name   value", the value wrapped beside its name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/finding.h"
#include "top/line.h"

namespace lockstep::top {

class Details {
 public:
  explicit Details(int columns) : columns_(columns) {}

  // `value` is safe for a terminal. Nothing is added for an empty one.
  void add(std::string_view name, const std::string& value, Ink ink = Ink::kPlain);
  void blank() { lines_.emplace_back(); }
  // What is wrong, who began it, why, and what to try first.
  void add_finding(const model::Finding& finding);

  std::vector<Line> take() { return std::move(lines_); }

 private:
  int columns_;
  std::vector<Line> lines_;
};

}  // namespace lockstep::top
