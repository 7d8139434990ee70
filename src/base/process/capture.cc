#include "base/process/capture.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <string_view>
#include <sys/wait.h>
#include <thread>

namespace lockstep::process {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

void take_what_is_there(Descriptor& from, std::string& kept, std::size_t max_bytes) {
  char chunk[1 << 14];
  while (from.is_open()) {
    const ssize_t count = ::read(from.get(), chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return from.close();
    const std::size_t room = max_bytes - std::min(max_bytes, kept.size());
    kept.append(chunk, std::min(room, static_cast<std::size_t>(count)));
  }
}

// Until nobody can write any more, or the deadline. A closed descriptor is -1, which poll passes over.
void read_until(Clock::time_point deadline, Spawned& program, std::size_t max_bytes, Captured& captured) {
  while (program.out.is_open() || program.err.is_open()) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      captured.timed_out = true;
      return;
    }
    pollfd watched[] = {{.fd = program.out.get(), .events = POLLIN, .revents = 0},
                        {.fd = program.err.get(), .events = POLLIN, .revents = 0}};
    ::poll(watched, std::size(watched), static_cast<int>(std::min<decltype(left)>(left, 1 << 30)));
    take_what_is_there(program.out, captured.out, max_bytes);
    take_what_is_there(program.err, captured.err, max_bytes);
  }
}

// Whoever runs the job may reap it first; then there is nothing to wait for.
bool is_reaped_by(Clock::time_point deadline, pid_t pid) {
  constexpr milliseconds kLookAgain{2};
  for (;;) {
    const pid_t reaped = ::waitpid(pid, nullptr, WNOHANG);
    if (reaped == pid || (reaped < 0 && errno == ECHILD)) return true;
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kLookAgain);
  }
}

}  // namespace

Result<Captured> capture(const Command& command, milliseconds time, std::size_t max_bytes) {
  constexpr milliseconds kDying{1'000};
  const auto deadline = Clock::now() + time;
  Spawned program = TRY(spawn(command));
  Captured captured;
  read_until(deadline, program, max_bytes, captured);
  if (captured.timed_out || !is_reaped_by(deadline, program.pid)) {
    captured.timed_out = true;
    ::kill(-program.pid, SIGKILL);
    is_reaped_by(Clock::now() + kDying, program.pid);
  }
  return captured;
}

}  // namespace lockstep::process
