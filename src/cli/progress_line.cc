#include "cli/progress_line.h"

#include <utility>

#include <fmt/format.h>

#include "cli/terminal.h"

namespace lockstep::cli {
namespace {

constexpr auto kPatience = std::chrono::seconds(2);
constexpr auto kBetween = std::chrono::milliseconds(200);
constexpr std::string_view kClearLine = "\r\x1b[K";

}  // namespace

ProgressLine::ProgressLine(Terminal& terminal, std::string what)
    : terminal_(terminal), what_(std::move(what)) {}

ProgressLine::~ProgressLine() {
  if (is_shown_) terminal_.tell(kClearLine);
}

void ProgressLine::show(std::size_t done, std::size_t total, std::uint64_t bytes) {
  const Clock::time_point now = Clock::now();
  if (!terminal_.err_is_terminal() || now - begin_ < kPatience || now - last_shown_ < kBetween) return;
  last_shown_ = now;
  is_shown_ = true;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const double left = done == 0 ? 0 : seconds * static_cast<double>(total - done) / static_cast<double>(done);
  terminal_.tell(fmt::format("{}{} {} of {} files, {:.0f} MB/s, {:.0f} s left", kClearLine, what_, done,
                             total, static_cast<double>(bytes) / 1e6 / seconds, left));
}

}  // namespace lockstep::cli
