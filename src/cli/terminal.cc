#include "cli/terminal.h"

#include <cerrno>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

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

}  // namespace lockstep::cli
