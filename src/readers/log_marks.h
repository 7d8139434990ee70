// What formats that stand in logs are known by, found in one pass over a text of any length, on all cores:
// where each mark stands first, which blocks hold lines of NCCL, and how many lines there are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/line_marks.h"

namespace lockstep::readers {

enum class LogMark : std::uint8_t { kPySpy, kPystack, kRootCause, kExitCode, kFaulthandler, kNccl };
inline constexpr std::array<std::string_view, 6> kLogMarks = {
    "Python v",           "Traceback for thread ",      "Root Cause (first observed failure):",
    "failed (exitcode: ", " (most recent call first):", "NCCL INFO "};

struct LogMarks {
  static constexpr std::size_t kBlock = std::size_t{512} << 10;

  std::array<std::size_t, kLogMarks.size()> first;  // npos: nowhere
  std::vector<bool> has_nccl;                       // by block
  base::LineMarks lines;
};

// Every mark that begins in [begin, end).
void for_each_mark(std::string_view text, std::size_t begin, std::size_t end,
                   const std::function<void(LogMark mark, std::size_t place)>& on_mark);

// Pages of a mapped file are let go behind it.
LogMarks marks_in(std::string_view text, bool is_mapped_file);

}  // namespace lockstep::readers
