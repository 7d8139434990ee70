// One log as its caller holds it, usually mapped memory.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/lines.h"
#include "base/mapped_file.h"

namespace lockstep::logs {

struct LogText {
  std::string name;
  std::string_view bytes;
  std::optional<int> rank;      // where the whole file is one rank's
  bool is_mapped_file = false;  // its pages need not stay in memory
  base::LineMarks line_marks = {};
};

// After a look at it: of ten thousand logs only the one that is looked at stays in memory.
inline void let_go(const LogText& log) {
  if (log.is_mapped_file) base::forget_pages(log.bytes);
}

}  // namespace lockstep::logs
