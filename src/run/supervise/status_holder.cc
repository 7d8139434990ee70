#include "run/supervise/status_holder.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/process/descendants.h"
#include "base/process/foreground.h"
#include "base/process/run.h"
#include "base/process/spawn.h"

namespace lockstep::supervise {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// For the rest of a job whose supervisor was killed, as process::run() gives it.
constexpr milliseconds kGrace{15'000};
constexpr milliseconds kLookAgain{50};

void say(const char* text, std::size_t size) {
  (void)!::write(STDERR_FILENO, text, size);
}

bool asks_watcher_to_end(int number) {
  const bool asks = number == SIGINT || number == SIGTERM || number == SIGHUP;
  return asks && !process::was_ignored_at_start(number);
}

bool stops(int number) {
  return number == SIGTSTP && !process::was_ignored_at_start(number);
}

}  // namespace

StatusHolder::StatusHolder(const std::filesystem::path& recording)
    : signals_(process::SignalGate::of_all()),
      advice_(fmt::format("lockstep: judge what was recorded with: lockstep diagnose {}\n",
                          base::escape_for_terminal(process::typed_in_a_shell({recording.string()})))) {
  // Whoever started this program may have had it ignored; then children leave no status.
  ::signal(SIGCHLD, SIG_DFL);
}

void StatusHolder::hold(pid_t supervisor, pid_t watcher, const process::SignalPipe& orders) {
  supervisor_ = supervisor;
  watcher_ = watcher;
  orders_ = &orders;
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (;;) {
    reap();
    if (status_ && watcher_ == 0) ::_exit(*status_);
    pollfd signals{.fd = signals_.fd(), .events = POLLIN, .revents = 0};
    ::poll(&signals, 1, -1);
    take_signals();
  }
}

void StatusHolder::take_signals() {
  while (const auto signal = signals_.next_arrived()) take(*signal);
}

void StatusHolder::take(const process::ArrivedSignal& signal) {
  const bool is_own = signal.sender == ::getpid() && signal.number == SIGPIPE;
  if (signal.is_about_a_child || is_own) return;
  tell_watcher(signal);  // before the job can end of it: afterwards the signal would end the verdict
  if (!status_) return tell_supervisor(signal);
  if (stops(signal.number)) stop_with_watcher();
}

void StatusHolder::tell_watcher(const process::ArrivedSignal& signal) const {
  // The terminal has signalled the watcher itself.
  if (watcher_ == 0 || signal.sender == watcher_ || signal.is_from_terminal) return;
  if (asks_watcher_to_end(signal.number)) ::kill(watcher_, signal.number);
}

void StatusHolder::tell_supervisor(const process::ArrivedSignal& signal) const {
  const bool ends_a_hang = watcher_ != 0 && signal.sender == watcher_;
  int how = signal.is_from_terminal ? process::kSignalToGroup : 0;
  if (ends_a_hang) how = process::kSignalToGroup | process::kSignalWithDeadline;
  orders_->send(signal.number, how, signal.sender);
  if (signal.number == SIGCONT) ::kill(supervisor_, SIGCONT);  // it may be stopped, and would not read
}

void StatusHolder::stop_with_watcher() const {
  if (watcher_ != 0) ::kill(watcher_, SIGSTOP);
  ::raise(SIGSTOP);
  if (watcher_ != 0) ::kill(watcher_, SIGCONT);
}

void StatusHolder::reap() {
  int state = 0;
  for (pid_t pid = 0; (pid = ::waitpid(-1, &state, WNOHANG | WUNTRACED)) > 0;) {
    if (WIFSTOPPED(state)) {
      if (pid == supervisor_) stop_with_watcher();  // the job was stopped from the terminal
      continue;
    }
    if (pid == watcher_) note_end_of_watcher(state);
    if (pid == supervisor_) note_end_of_supervisor(state);
  }
}

void StatusHolder::note_end_of_watcher(int state) {
  watcher_ = 0;
  if (!WIFSIGNALED(state)) return;
  char text[128];
  const char* const what = status_ ? "the verdict was not finished" : "the job goes on unwatched";
  const int size = std::snprintf(text, sizeof text, "lockstep: the watcher was ended by signal %d; %s\n",
                                 WTERMSIG(state), what);
  say(text, static_cast<std::size_t>(size));
  say(advice_.data(), advice_.size());
}

void StatusHolder::note_end_of_supervisor(int state) {
  if (WIFEXITED(state)) {
    status_ = WEXITSTATUS(state);
    return;
  }
  end_what_is_left();
  status_ = 128 + WTERMSIG(state);
}

void StatusHolder::end_what_is_left() {
  const auto is_gone = [&] {
    reap();
    return process::signal_descendants(0, watcher_) == 0;
  };
  process::signal_descendants(SIGTERM, watcher_);
  process::signal_descendants(SIGCONT, watcher_);
  for (const auto deadline = Clock::now() + kGrace; !is_gone() && Clock::now() < deadline;)
    std::this_thread::sleep_for(kLookAgain);
  for (int tries = 0; !is_gone() && tries < 100; ++tries) {
    process::signal_descendants(SIGKILL, watcher_);
    std::this_thread::sleep_for(kLookAgain);
  }
}

}  // namespace lockstep::supervise
