// One log as its caller holds it, usually mapped memory.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/line_marks.h"

namespace lockstep::symptoms {

struct LogText {
  std::string name;
  std::string_view bytes;
  std::optional<int> rank;      // where the whole file is one rank's
  bool is_mapped_file = false;  // its pages need not stay in memory
  base::LineMarks line_marks = {};
};

}  // namespace lockstep::symptoms
