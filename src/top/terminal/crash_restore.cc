#include "top/terminal/crash_restore.h"

#include <atomic>
#include <csignal>
#include <iterator>
#include <unistd.h>

namespace lockstep::top {
namespace {

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

}  // namespace

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

}  // namespace lockstep::top
