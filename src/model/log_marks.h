// What formats that stand in logs are known by, and where a log holds them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/lines.h"

namespace lockstep::model {

enum class LogMark : std::uint8_t { kPySpy, kPystack, kRootCause, kExitCode, kFaulthandler, kNccl };
inline constexpr std::array<std::string_view, 6> kLogMarks = {
    "Python v",           "Traceback for thread ",      "Root Cause (first observed failure):",
    "failed (exitcode: ", " (most recent call first):", "NCCL INFO "};

std::string regex_of(std::string_view mark);

struct LogMarks {
  static constexpr std::size_t kBlock = std::size_t{512} << 10;
  static constexpr std::size_t kNowhere = std::string_view::npos;

  explicit LogMarks(std::size_t text_size = 0) : has_nccl((text_size + kBlock - 1) / kBlock) {
    first.fill(kNowhere);
  }

  void add(LogMark mark, std::size_t place) {
    std::size_t& known = first[static_cast<std::size_t>(mark)];
    if (known > place) known = place;
    if (mark == LogMark::kNccl) has_nccl[place / kBlock] = true;
  }

  std::array<std::size_t, kLogMarks.size()> first;
  std::vector<bool> has_nccl;  // by block
  base::LineMarks lines;
};

}  // namespace lockstep::model
