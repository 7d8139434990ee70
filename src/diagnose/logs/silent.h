// Trouble that no line names: training that began and never moved, preparation that did not end, a rate that
// falls, devices that bring no speed. Read from progress lines, not from error words.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "diagnose/logs/context.h"
#include "diagnose/logs/line.h"

namespace lockstep::logs {

// The log of one rank that ends long before the others': whatever happened, it happened there first.
struct StoppedLog {
  std::size_t log = 0;
  LineSpan last_line;  // that has a time
};

// Only where at least three files of ranks have times, and all but one go on together.
std::optional<StoppedLog> log_that_stopped(std::span<const LogText> logs);

struct SilentSign {
  std::string_view code;  // of the catalogue
  std::size_t log = 0;
  LineSpan line;                                // the line that shows it
  std::optional<int> root_rank = std::nullopt;  // where it names one
};

// The clearest sign, if there is one. Only for logs in which no entry of the catalogue found an origin.
std::optional<SilentSign> silent_sign(std::span<const LogText> logs, const Context& context);

// The last step of a job that the scheduler ended at its limit, where that step lies far further back than
// steps of this job lie apart. `limit`: the scheduler's line, whose own time counts.
std::optional<SilentSign> silent_until(std::span<const LogText> logs, std::size_t log, LineSpan limit);

}  // namespace lockstep::logs
