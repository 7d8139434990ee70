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
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "base/file.h"
#include "base/process/descriptor.h"
#include "base/process/process_tree.h"
#include "base/process/signal_gate.h"

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
    pollfd watched[] = {{.fd = signals_.fd(), .events = POLLIN, .revents = 0},
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
      if (phase_ != Phase::kGivenUp && !tree_is_gone_) return;
    }
  }

  void take_signals() {
    while (const auto number = signals_.next()) {
      if (*number != SIGCHLD) pass_on(*number);
    }
  }

  void pass_on(int number) {
    const bool asks_again = end_.interrupted_by.has_value();
    about_to_ask();
    if (!asks_again) end_.interrupted_by = number;
    if (asks_again) return begin_killing();
    if (program_has_ended_) {
      signal_descendants(number);
    } else {
      ::kill(-job_.pid, number);
    }
    signal_descendants(SIGCONT);  // one that is stopped would never hear of it
    await(Phase::kAsked, options_.grace);
  }

  void reap() {
    int state = 0;
    pid_t pid = 0;
    while ((pid = ::waitpid(-1, &state, WNOHANG)) > 0) {
      if (pid == job_.pid) on_end_of_program(state);
    }
    if (pid < 0 && errno == ECHILD) tree_is_gone_ = true;
  }

  void on_end_of_program(int state) {
    program_has_ended_ = true;
    if (WIFSIGNALED(state)) end_.ended_by_signal = WTERMSIG(state);
    if (WIFEXITED(state)) end_.exit_status = WEXITSTATUS(state);
    if (phase_ == Phase::kRunning) await(Phase::kLingering, options_.linger);
    if (phase_ == Phase::kAsked) signal_descendants(SIGTERM);  // to those in groups of their own
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
  const SignalGate signals({SIGINT, SIGTERM, SIGHUP, SIGCHLD});
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
