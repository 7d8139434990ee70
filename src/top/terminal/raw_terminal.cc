#include "top/terminal/raw_terminal.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <iterator>
#include <poll.h>
#include <string_view>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"

namespace lockstep::top {

std::string Redraw::update(const std::vector<std::string>& lines) {
  const bool draws_all = !is_known_ || lines.size() != shown_.size();
  std::string out = draws_all ? "\x1b[0m\x1b[2J" : "";
  for (std::size_t row = 0; row < lines.size(); ++row) {
    if (draws_all || lines[row] != shown_[row]) out += fmt::format("\x1b[{};1H{}", row + 1, lines[row]);
  }
  shown_ = lines;
  is_known_ = true;
  return out;
}

namespace {

// Gives the terminal back when the process crashes. While armed, SIGABRT, SIGSEGV, SIGBUS, SIGFPE and SIGILL
// first restore it, then do what they would have done.

constexpr int kCrashes[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

// A signal handler gets no argument of ours, so what it needs stands here.
struct {
  std::atomic<bool> is_armed{false};
  int fd = -1;
  termios before{};
  std::string_view farewell;
  struct sigaction actions_before[std::size(kCrashes)];
} restore;

// Calls only what POSIX allows in a handler. SA_RESETHAND has put the default action back.
extern "C" void lockstep_top_crashed(int number) {
  if (restore.is_armed.exchange(false)) {
    [[maybe_unused]] const ssize_t ignored =
        ::write(restore.fd, restore.farewell.data(), restore.farewell.size());
    ::tcsetattr(restore.fd, TCSANOW, &restore.before);
  }
  ::raise(number);
}

// `farewell` lives as long as the program.
void restore_on_crash(int fd, const termios& before, std::string_view farewell) {
  restore.fd = fd;
  restore.before = before;
  restore.farewell = farewell;
  if (restore.is_armed.exchange(true)) return;
  struct sigaction action {};
  action.sa_handler = lockstep_top_crashed;
  action.sa_flags = SA_RESETHAND;
  for (std::size_t i = 0; i < std::size(kCrashes); ++i) {
    ::sigaction(kCrashes[i], &action, &restore.actions_before[i]);
  }
}

void no_restore_on_crash() {
  if (!restore.is_armed.exchange(false)) return;
  for (std::size_t i = 0; i < std::size(kCrashes); ++i) {
    ::sigaction(kCrashes[i], &restore.actions_before[i], nullptr);
  }
}

// Another screen, no cursor, no wrapping at the right edge; and all of it back.
constexpr std::string_view kGreeting = "\x1b[?1049h\x1b[?25l\x1b[?7l";
constexpr std::string_view kFarewell = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";
constexpr int kFarewellPatienceMs = 500;
constexpr int kLargestSide = 1000;  // a size beyond this is a mistake of whoever set it

termios every_key_at_once(termios settings) {
  settings.c_iflag &= ~static_cast<tcflag_t>(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
  settings.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | IEXTEN | ISIG);
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  return settings;
}

bool should_wait() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

Result<RawTerminal> RawTerminal::open() {
  process::Descriptor tty(::open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  if (!tty.is_open()) return base::error_from_errno("cannot open the terminal", "/dev/tty", "try --once");
  return RawTerminal(std::move(tty));
}

RawTerminal::RawTerminal(RawTerminal&& other) noexcept
    : tty_(std::move(other.tty_)),
      before_(other.before_),
      unsent_(std::move(other.unsent_)),
      is_entered_(std::exchange(other.is_entered_, false)),
      is_gone_(other.is_gone_) {}

RawTerminal::~RawTerminal() {
  leave();
}

Size RawTerminal::size() const {
  winsize size{};
  const bool is_known = ::ioctl(fd(), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
  if (!is_known) return {};
  return {std::min<int>(size.ws_col, kLargestSide), std::min<int>(size.ws_row, kLargestSide)};
}

bool RawTerminal::is_in_front() const {
  return ::tcgetpgrp(fd()) == ::getpgrp();
}

void RawTerminal::enter() {
  if (!is_entered_ && ::tcgetattr(fd(), &before_) != 0) return;
  restore_on_crash(fd(), before_, kFarewell);
  const termios wanted = every_key_at_once(before_);
  ::tcsetattr(fd(), TCSANOW, &wanted);
  is_entered_ = true;
  send(kGreeting);
}

void RawTerminal::leave() {
  if (!is_entered_) return;
  flush_before(kFarewellPatienceMs);
  unsent_ = kFarewell;
  flush_before(kFarewellPatienceMs);
  unsent_.clear();
  ::tcsetattr(fd(), TCSANOW, &before_);
  no_restore_on_crash();
  is_entered_ = false;
}

std::string RawTerminal::read_keys() {
  std::array<char, 512> bytes;
  const ssize_t count = ::read(fd(), bytes.data(), bytes.size());
  if (count == 0 || (count < 0 && !should_wait())) is_gone_ = true;
  return count > 0 ? std::string(bytes.data(), static_cast<std::size_t>(count)) : std::string();
}

void RawTerminal::flush() {
  while (!unsent_.empty()) {
    const ssize_t count = ::write(fd(), unsent_.data(), unsent_.size());
    if (count < 0 && should_wait()) return;
    if (count < 0) {
      is_gone_ = true;
      unsent_.clear();
      return;
    }
    unsent_.erase(0, static_cast<std::size_t>(count));
  }
}

void RawTerminal::flush_before(int patience_ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
  flush();
  while (!unsent_.empty()) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    if (left <= 0) return;
    pollfd room{.fd = fd(), .events = POLLOUT, .revents = 0};
    ::poll(&room, 1, static_cast<int>(left));
    flush();
  }
}

}  // namespace lockstep::top
