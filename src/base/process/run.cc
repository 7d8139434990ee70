#include "base/process/run.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
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
#include "base/process/descriptor.h"
#include "base/process/proc_files.h"
#include "base/process/signal_gate.h"
#include "base/process/signal_pipe.h"

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
void resize(const Descriptor& terminal) {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) ::ioctl(terminal.get(), TIOCSWINSZ, &size);
}

class Watch {
 public:
  Watch(Spawned job, const RunOptions& options, const SignalGate& signals)
      : job_(std::move(job)), options_(options), signals_(signals) {
    if (options.timeout.count() > 0) deadline_ = start_ + options.timeout;
  }

  RunEnd until_the_end() {
    while (!tree_is_gone_ && phase_ != Phase::kGivenUp) {
      wait();
      hand_on_output();
      take_signals();
      reap();
      if (deadline_ && Clock::now() >= *deadline_) on_deadline();
    }
    hand_on_output();
    const auto now = Clock::now();
    end_.ran = std::chrono::duration_cast<milliseconds>(now - start_);
    end_.quiet = std::chrono::duration_cast<milliseconds>(now - last_output_);
    return end_;
  }

 private:
  enum class Phase { kRunning, kLingering, kAsked, kKilling, kGivenUp };

  void wait() {
    pollfd watched[] = {
        {.fd = signals_.fd(), .events = POLLIN, .revents = 0},
        {.fd = options_.orders != nullptr ? options_.orders->fd() : -1, .events = POLLIN, .revents = 0},
        {.fd = job_.out.get(), .events = POLLIN, .revents = 0},
        {.fd = job_.err.get(), .events = POLLIN, .revents = 0}};
    int timeout_ms = -1;
    if (deadline_) {
      const auto left = std::chrono::ceil<milliseconds>(*deadline_ - Clock::now()).count();
      timeout_ms = static_cast<int>(std::clamp<decltype(left)>(left, 0, 1 << 30));
    }
    ::poll(watched, std::size(watched), timeout_ms);
  }

  void hand_on_output() {
    hand_on(job_.out, Stream::kOut);
    hand_on(job_.err, Stream::kErr);
  }

  // One read at a time from each, so that neither stream is late.
  void hand_on(Descriptor& from, Stream stream) {
    char chunk[1 << 16];
    while (from.is_open()) {
      const ssize_t count = ::read(from.get(), chunk, sizeof chunk);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count <= 0) return from.close();
      last_output_ = Clock::now();
      if (options_.on_output) options_.on_output(stream, {chunk, static_cast<std::size_t>(count)});
      if (options_.has_reader && !options_.has_reader(stream)) return from.close();
      if (phase_ != Phase::kGivenUp && !tree_is_gone_) return;
    }
  }

  void take_signals() {
    while (const auto arrived = signals_.next_arrived()) take(*arrived);
    if (options_.orders == nullptr) return;
    while (const auto order = options_.orders->next()) obey(*order, false);
  }

  void take(const ArrivedSignal& signal) {
    if (signal.is_about_a_child) return;
    if (signal.number == SIGPIPE && signal.sender == ::getpid()) return;  // from its own writing
    const bool is_orphan = options_.obeys != 0 && ::getppid() != options_.obeys;
    if (options_.obeys == 0 || is_orphan) obey(signal, is_orphan);
  }

  void obey(const ArrivedSignal& signal, bool is_orphan) {
    if (signal.number == SIGTTIN || signal.number == SIGTTOU)
      return;  // of a terminal that the job does not have
    // Whoever had it ignored, as nohup does, asked for nothing by it. What the job makes of it is its own
    // affair.
    const bool is_our_own = is_orphan || (signal.value & kSignalWithDeadline) != 0;
    const bool counts = is_our_own || !was_ignored_at_start(signal.number);
    if (asks_to_end(signal.number) && counts) return ask(signal, is_orphan);
    pass_on(signal);
  }

  void ask(const ArrivedSignal& signal, bool is_orphan) {
    const bool asks_again = end_.interrupted_by.has_value();
    about_to_ask();
    if (!asks_again) end_.interrupted_by = signal.number;
    if (asks_again) return begin_killing();
    pass_on(signal);
    signal_descendants(SIGCONT);  // one that is stopped would never hear of it
    const bool has_deadline = options_.obeys == 0 || is_orphan || (signal.value & kSignalWithDeadline) != 0;
    if (has_deadline || program_has_ended_) return await(Phase::kAsked, options_.grace);
    phase_ = Phase::kAsked;
    deadline_.reset();
  }

  void pass_on(const ArrivedSignal& signal) {
    if (signal.number == SIGWINCH) resize(job_.out);
    if (program_has_ended_) return signal_descendants(signal.number);
    // Whoever stopped the whole group, the shell's "fg" wakes one process alone.
    const bool is_to_group =
        signal.is_from_terminal || signal.number == SIGCONT || (signal.value & kSignalToGroup) != 0;
    ::kill(is_to_group ? -job_.pid : job_.pid, signal.number);
  }

  void reap() {
    int state = 0;
    pid_t pid = 0;
    while ((pid = ::waitpid(-1, &state, WNOHANG | WUNTRACED)) > 0) {
      if (WIFSTOPPED(state)) {
        if (pid == job_.pid && WSTOPSIG(state) == SIGTSTP) ::raise(SIGSTOP);  // so does who waits for us
        continue;
      }
      if (pid == job_.pid) on_end_of_program(state);
    }
    if (pid < 0 && errno == ECHILD) tree_is_gone_ = true;
  }

  void on_end_of_program(int state) {
    program_has_ended_ = true;
    if (WIFSIGNALED(state)) end_.ended_by_signal = WTERMSIG(state);
    if (WIFEXITED(state)) end_.exit_status = WEXITSTATUS(state);
    if (phase_ == Phase::kRunning) return await(Phase::kLingering, options_.linger);
    if (phase_ != Phase::kAsked) return;
    signal_descendants(SIGTERM);  // to those that were not asked
    await(Phase::kAsked, options_.grace);
  }

  void on_deadline() {
    switch (phase_) {
      case Phase::kRunning:
        end_.timed_out = true;
        about_to_ask();
        ::kill(-job_.pid, SIGTERM);
        signal_descendants(SIGCONT);
        return await(Phase::kAsked, options_.grace);
      case Phase::kLingering:
        end_.left_processes = true;
        about_to_ask();
        signal_descendants(SIGTERM);
        return await(Phase::kAsked, options_.grace);
      case Phase::kAsked:
        return begin_killing();
      case Phase::kKilling:
        if (Clock::now() - killing_since_ > kGiveUp) {
          phase_ = Phase::kGivenUp;
          return;
        }
        signal_descendants(SIGKILL);
        return await(Phase::kKilling, kKillAgain);
      case Phase::kGivenUp:
        return;
    }
  }

  void about_to_ask() {
    if (options_.on_asking_to_end && !std::exchange(was_asked_, true)) options_.on_asking_to_end();
  }

  void begin_killing() {
    killing_since_ = Clock::now();
    if (program_has_ended_) end_.left_processes = true;
    signal_descendants(SIGKILL);
    await(Phase::kKilling, kKillAgain);
  }

  void await(Phase phase, milliseconds time) {
    phase_ = phase;
    deadline_ = Clock::now() + time;
  }

  Spawned job_;
  const RunOptions& options_;
  const SignalGate& signals_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_output_ = start_;
  Clock::time_point killing_since_;
  std::optional<Clock::time_point> deadline_;
  Phase phase_ = Phase::kRunning;
  bool was_asked_ = false;
  bool program_has_ended_ = false;
  bool tree_is_gone_ = false;
  RunEnd end_;
};

}  // namespace

Result<RunEnd> run(const Command& command, const RunOptions& options) {
  const Adoption adoption;
  const ChildSignal children;
  const SignalGate signals = SignalGate::of_all();
  Spawned job = TRY(spawn(command));
  if (options.on_start) options.on_start();
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
