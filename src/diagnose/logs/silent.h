// Trouble that no line names: training that began and never moved, preparation that did not end, a rate that
// falls, devices that bring no speed. Read from progress lines, not from error words.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "diagnose/logs/context.h"
#include "diagnose/logs/line.h"
#include "diagnose/logs/log_text.h"

namespace lockstep::logs {

struct SilentSign {
  std::string_view code;  // of the catalogue
  std::size_t log = 0;
  LineSpan line;                                // the line that shows it
  std::optional<int> root_rank = std::nullopt;  // where it names one
};

// The clearest sign, if there is one. Only for logs in which no entry of the catalogue found an origin.
std::optional<SilentSign> silent_sign(std::span<const LogText> logs, const Context& context);

}  // namespace lockstep::logs
