// The log of one rank that ends long before the others': whatever happened, it happened there first.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "diagnose/logs/line.h"
#include "diagnose/logs/log_text.h"

namespace lockstep::logs {

struct StoppedLog {
  std::size_t log = 0;
  LineSpan last_line;  // that has a time
};

// Only where at least three files of ranks have times, and all but one go on together.
std::optional<StoppedLog> log_that_stopped(std::span<const LogText> logs);

}  // namespace lockstep::logs
