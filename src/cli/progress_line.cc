#include "cli/progress_line.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/terminal.h"

namespace lockstep::cli {
namespace {

constexpr auto kPatience = std::chrono::seconds(2);
constexpr auto kBetween = std::chrono::milliseconds(200);
constexpr std::string_view kClearLine = "\r\x1b[K";

}  // namespace

ProgressLine::~ProgressLine() {
  if (is_shown_) terminal_.tell(kClearLine);
}

void ProgressLine::show(std::string_view what, std::uint64_t bytes_done, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (what != what_) {
    what_ = what;
    step_begin_ = now;
  }
  if (!is_due(now)) return;
  const double seconds = std::max(1e-3, std::chrono::duration<double>(now - step_begin_).count());
  const double rate = std::max(1.0, static_cast<double>(bytes_done) / seconds);
  const double left = static_cast<double>(bytes - std::min(bytes, bytes_done)) / rate;
  terminal_.tell(fmt::format("{}{} {:.1f} of {:.1f} GB, {:.0f} MB/s, {:.0f} s left", kClearLine, what_,
                             static_cast<double>(bytes_done) / 1e9, static_cast<double>(bytes) / 1e9,
                             rate / 1e6, left));
}

void ProgressLine::show_count(std::string_view what, std::size_t done, std::size_t all) {
  const std::lock_guard lock(mutex_);
  if (is_due(Clock::now())) terminal_.tell(fmt::format("{}{} of {} {}", kClearLine, done, all, what));
}

bool ProgressLine::is_due(Clock::time_point now) {
  if (!terminal_.err_is_terminal() || now - begin_ < kPatience || now - last_shown_ < kBetween) return false;
  last_shown_ = now;
  is_shown_ = true;
  return true;
}

}  // namespace lockstep::cli
