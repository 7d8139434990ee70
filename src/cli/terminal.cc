#include "cli/terminal.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"

namespace lockstep::cli {

namespace {

constexpr std::size_t kGatherBytes = std::size_t{64} << 10;
constexpr int kDefaultWidth = 80;

}  // namespace

Terminal::Terminal(int out_fd, int err_fd, bool color_welcome)
    : out_fd_(out_fd),
      err_fd_(err_fd),
      color_welcome_(color_welcome),
      out_is_terminal_(::isatty(out_fd) == 1),
      err_is_terminal_(::isatty(err_fd) == 1) {}

Result<void> Terminal::write(std::string_view text) {
  gathered_ += text;
  return gathered_.size() < kGatherBytes ? Result<void>() : flush();
}

Result<void> Terminal::flush() {
  if (!failure_ && !base::write_all(out_fd_, gathered_)) {
    reader_is_gone_ = errno == EPIPE;
    failure_ = base::error_from_errno("cannot write", "standard output");
  }
  gathered_.clear();
  return failure_ ? Result<void>(*failure_) : Result<void>();
}

void Terminal::tell(std::string_view text) {
  (void)flush();  // a failure is kept and comes back from the next write or flush
  base::write_all(err_fd_, text);
}

int Terminal::width() const {
  winsize size{};
  const bool known = ::ioctl(out_fd_, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kDefaultWidth;
}

bool Terminal::wants_color(bool is_terminal) const {
  if (color_ == ColorChoice::kAuto) return is_terminal && color_welcome_;
  return color_ == ColorChoice::kAlways;
}

bool environment_welcomes_color() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool refused = no_color != nullptr && *no_color != '\0';
  const bool is_dumb = term != nullptr && std::string_view(term) == "dumb";
  return !refused && !is_dumb;
}

namespace {

constexpr auto kPatience = std::chrono::seconds(2);        // shorter steps need no line
constexpr auto kBetween = std::chrono::milliseconds(200);  // faster changes cannot be read
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
