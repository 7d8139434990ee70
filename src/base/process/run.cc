#include "base/process/run.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "base/file.h"
#include "base/process/descendants.h"
#include "base/process/descriptor.h"
#include "base/process/passage.h"
#include "base/process/signal_gate.h"
#include "base/process/signal_pipe.h"
#include "base/process/twin_signals.h"

namespace lockstep::process {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// While killing: how long until the tree is looked at again, for it may have grown.
constexpr milliseconds kKillAgain{100};
// What even SIGKILL does not end waits in the kernel, for a disk or a driver; nobody can wait for that.
constexpr milliseconds kGiveUp{20'000};

// Orphans below this process become its children instead of init's.
class Adoption {
 public:
  Adoption() {
    ::prctl(PR_GET_CHILD_SUBREAPER, &before_);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  Adoption(const Adoption&) = delete;
  Adoption& operator=(const Adoption&) = delete;
  ~Adoption() { ::prctl(PR_SET_CHILD_SUBREAPER, before_); }

 private:
  int before_ = 0;
};

// Whoever started this program may have had SIGCHLD ignored; then children leave no status.
class ChildSignal {
 public:
  ChildSignal() {
    struct sigaction as_usual {};
    as_usual.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &as_usual, &before_);
  }
  ChildSignal(const ChildSignal&) = delete;
  ChildSignal& operator=(const ChildSignal&) = delete;
  ~ChildSignal() { ::sigaction(SIGCHLD, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

bool asks_to_end(int number) {
  return number == SIGINT || number == SIGTERM || number == SIGHUP;
}

// As large as the terminal that this program prints on; the job learns of a new size by SIGWINCH.
void resize(int terminal) {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) ::ioctl(terminal, TIOCSWINSZ, &size);
}

// From here on nothing can fail: no memory is taken, and what the caller's functions throw is dropped.
class Watch {
 public:
  Watch(Spawned job, const RunOptions& options, const SignalGate& signals)
      : pid_(job.pid),
        out_(std::move(job.out), options.hand_out_to),
        err_(std::move(job.err), options.hand_err_to),
        options_(options),
        signals_(signals) {
    if (options.timeout.count() > 0) deadline_ = start_ + options.timeout;
  }

  RunEnd until_the_end() noexcept {
    if (options_.on_start) call(options_.on_start);
    if (options_.obeys != 0) drop_what_came_before();
    for (bool had_ended = false; !had_ended || has_output();) {
      wait();
      had_ended = ended_.has_value();  // what was printed last is read after the end
      hand_on(out_, Stream::kOut);
      hand_on(err_, Stream::kErr);
      take_signals();
      reap();
      if (deadline_ && Clock::now() >= *deadline_) on_deadline();
    }
    end_.ran = std::chrono::duration_cast<milliseconds>(*ended_ - start_);
    end_.quiet = std::chrono::duration_cast<milliseconds>(std::max(*ended_, last_output_) - last_output_);
    return end_;
  }

 private:
  enum class Phase { kRunning, kLingering, kAsked, kKilling };

  // What came directly when there was no job yet has not come to the job too. The death of the process above
  // has.
  void drop_what_came_before() {
    while (const auto arrived = signals_.next_arrived()) {
      if (::getppid() != options_.obeys) take(*arrived);
    }
    reap();  // its end may be among it
  }

  bool has_output() const { return !out_.is_drained() || !err_.is_drained(); }

  void wait() {
    if (ended_ && !out_.has_waiting() && !err_.has_waiting()) return;
    pollfd watched[] = {
        {.fd = signals_.fd(), .events = POLLIN, .revents = 0},
        {.fd = options_.orders != nullptr ? options_.orders->fd() : -1, .events = POLLIN, .revents = 0},
        out_.waits_for(),
        err_.waits_for()};
    int timeout_ms = -1;
    std::optional<Clock::time_point> until = twins_.next_deadline();
    if (deadline_) until = std::min(*deadline_, until.value_or(*deadline_));
    if (until) {
      const auto left = std::chrono::ceil<milliseconds>(std::max(*until, start_) - Clock::now()).count();
      timeout_ms = static_cast<int>(std::clamp<decltype(left)>(left, 0, 1 << 30));
    }
    ::poll(watched, std::size(watched), timeout_ms);
  }

  void hand_on(Passage& passage, Stream stream) {
    const std::string_view bytes = passage.step();
    if (bytes.empty()) return;
    last_output_ = Clock::now();
    if (options_.on_output) call([&] { options_.on_output(stream, bytes); });
  }

  template <typename Function>
  static void call(const Function& function) {
    try {
      function();
    } catch (const std::exception&) {
      // Memory is what may be missing; the job goes on.
    }
  }

  void take_signals() {
    while (const auto arrived = signals_.next_arrived()) take(*arrived);
    if (options_.orders == nullptr) return;
    while (const auto order = options_.orders->next()) {
      // The terminal's come to its own group alone, and a deadline is set by who passes the signal on.
      const bool may_have_come_to_all = order->value == 0 && order->sender != 0;
      if (may_have_come_to_all) {
        twins_.hold(*order, Clock::now());
      } else {
        obey(*order, false);
      }
    }
    while (const auto due = twins_.next_due(Clock::now())) {
      job_has_it_ = due->has_come_to_all;
      obey(due->order, false);
      job_has_it_ = false;
    }
  }

  void take(const ArrivedSignal& signal) {
    if (signal.is_about_a_child) return;
    if (signal.number == SIGPIPE && signal.sender == ::getpid()) return;  // from its own writing
    const bool is_orphan = options_.obeys != 0 && ::getppid() != options_.obeys;
    if (options_.obeys == 0 || is_orphan) return obey(signal, is_orphan);
    twins_.note_direct(signal, Clock::now());
  }

  void obey(const ArrivedSignal& signal, bool is_orphan) {
    if (signal.number == SIGTTIN || signal.number == SIGTTOU)
      return;  // of a terminal that the job does not have
    if (ended_) return obey_after_the_end(signal.number);
    // Whoever had it ignored, as nohup does, asked for nothing by it. What the job makes of it is its own
    // affair.
    const bool is_our_own = is_orphan || (signal.value & kSignalWithDeadline) != 0;
    const bool counts = is_our_own || !was_ignored_at_start(signal.number);
    if (asks_to_end(signal.number) && counts) return ask(signal, is_orphan);
    pass_on(signal);
  }

  // There is only output left that somebody is slow to read.
  void obey_after_the_end(int number) {
    if (asks_to_end(number) && !was_ignored_at_start(number)) abandon_output();
    if (number == SIGTSTP) ::raise(SIGSTOP);
  }

  void ask(const ArrivedSignal& signal, bool is_orphan) {
    const bool asks_again = end_.interrupted_by.has_value();
    about_to_ask();
    if (!asks_again) end_.interrupted_by = signal.number;
    if (asks_again) return begin_killing();
    pass_on(signal);
    signal_all(SIGCONT);  // one that is stopped would never hear of it
    const bool has_deadline = options_.obeys == 0 || is_orphan || (signal.value & kSignalWithDeadline) != 0;
    if (has_deadline || program_has_ended_) return await(Phase::kAsked, options_.grace);
    phase_ = Phase::kAsked;
    deadline_.reset();
  }

  void pass_on(const ArrivedSignal& signal) {
    if (signal.number == SIGWINCH) resize(out_.from());
    if (job_has_it_) return;
    if (program_has_ended_) return signal_all(signal.number);
    // Whoever stopped the whole group, the shell's "fg" wakes one process alone.
    const bool is_to_group =
        signal.is_from_terminal || signal.number == SIGCONT || (signal.value & kSignalToGroup) != 0;
    ::kill(is_to_group ? -pid_ : pid_, signal.number);
  }

  void reap() {
    int state = 0;
    pid_t pid = 0;
    while ((pid = ::waitpid(-1, &state, WNOHANG | WUNTRACED)) > 0) {
      if (WIFSTOPPED(state)) {
        if (pid == pid_ && WSTOPSIG(state) == SIGTSTP) ::raise(SIGSTOP);  // so does who waits for us
        continue;
      }
      if (pid == pid_) on_end_of_program(state);
    }
    if (pid < 0 && errno == ECHILD && !ended_) end();
  }

  // Whoever reads gets all of it, however slowly. Not of a job that was to end: then somebody waits.
  void end() {
    ended_ = Clock::now();
    deadline_.reset();
    if (was_asked_) deadline_ = *ended_ + options_.grace;
  }

  void abandon_output() {
    out_.abandon();
    err_.abandon();
  }

  void signal_all(int number) const {
    if (signal_descendants(number) < 0) ::kill(-pid_, number);
  }

  void on_end_of_program(int state) {
    program_has_ended_ = true;
    if (WIFSIGNALED(state)) end_.ended_by_signal = WTERMSIG(state);
    if (WIFEXITED(state)) end_.exit_status = WEXITSTATUS(state);
    if (phase_ == Phase::kRunning) return await(Phase::kLingering, options_.linger);
    if (phase_ != Phase::kAsked) return;
    signal_all(SIGTERM);  // to those that were not asked
    await(Phase::kAsked, options_.grace);
  }

  void on_deadline() {
    if (ended_) return abandon_output();
    switch (phase_) {
      case Phase::kRunning:
        end_.timed_out = true;
        about_to_ask();
        ::kill(-pid_, SIGTERM);
        signal_all(SIGCONT);
        return await(Phase::kAsked, options_.grace);
      case Phase::kLingering:
        end_.left_processes = true;
        about_to_ask();
        signal_all(SIGTERM);
        return await(Phase::kAsked, options_.grace);
      case Phase::kAsked:
        return begin_killing();
      case Phase::kKilling:
        if (Clock::now() - killing_since_ > kGiveUp) return end();
        signal_all(SIGKILL);
        return await(Phase::kKilling, kKillAgain);
    }
  }

  void about_to_ask() {
    const bool is_first = !std::exchange(was_asked_, true);
    if (options_.on_asking_to_end && is_first) call(options_.on_asking_to_end);
  }

  void begin_killing() {
    killing_since_ = Clock::now();
    if (program_has_ended_) end_.left_processes = true;
    signal_all(SIGKILL);
    await(Phase::kKilling, kKillAgain);
  }

  void await(Phase phase, milliseconds time) {
    phase_ = phase;
    deadline_ = Clock::now() + time;
  }

  pid_t pid_;
  Passage out_;
  Passage err_;
  const RunOptions& options_;
  const SignalGate& signals_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_output_ = start_;
  Clock::time_point killing_since_;
  std::optional<Clock::time_point> deadline_;
  Phase phase_ = Phase::kRunning;
  TwinSignals twins_;
  bool job_has_it_ = false;  // the signal that is obeyed just now
  bool was_asked_ = false;
  bool program_has_ended_ = false;
  std::optional<Clock::time_point> ended_;  // nothing of the job is left, or nothing that can be ended
  RunEnd end_;
};

}  // namespace

Result<RunEnd> run(const Command& command, const RunOptions& options) {
  const Adoption adoption;
  const ChildSignal children;
  const SignalGate signals = SignalGate::of_all();
  Spawned job = TRY(spawn(command));
  return Watch(std::move(job), options, signals).until_the_end();
}

Result<OutputFiles> OutputFiles::open(const std::filesystem::path& folder, std::string_view stem) {
  OutputFiles files(folder);
  TRY(files.open_files(stem));
  return files;
}

Result<void> OutputFiles::open_files(std::string_view stem) {
  for (const auto& [descriptor, ending] : {std::pair(&out_, ".out"), std::pair(&err_, ".err")}) {
    const std::filesystem::path path = folder_ / (std::string(stem) + ending);
    *descriptor = Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!descriptor->is_open()) return base::error_from_errno("cannot write", path);
  }
  return {};
}

void OutputFiles::keep(Stream stream, std::string_view bytes) {
  const Descriptor& file = stream == Stream::kOut ? out_ : err_;
  if (!base::write_all(file.get(), bytes)) is_whole_ = false;
}

void OutputFiles::go_on_in(std::string_view stem) {
  if (!open_files(stem).ok()) is_whole_ = false;
}

}  // namespace lockstep::process
