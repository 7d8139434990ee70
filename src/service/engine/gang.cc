#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <optional>
#include <poll.h>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process/descriptor.h"
#include "base/process/signal_gate.h"
#include "service/engine/attempt_supervisor.h"
#include "service/engine/horovod_rendezvous.h"
#include "service/engine/nodes/node_place.h"
#include "service/engine/nodes/shares.h"
#include "service/engine/plan.h"

namespace lockstep::service {

namespace {

// A /dev/shm of the attempt's own, for jobs that met the end of the host's: in a mount namespace, which needs
// no rights where users may have namespaces.

bool write_map(const char* path, const std::string& text) {
  const process::Descriptor file(::open(path, O_WRONLY | O_CLOEXEC));
  return file.is_open() && base::write_all(file.get(), text);
}

bool enter_namespaces() {
  if (::unshare(CLONE_NEWNS) == 0) return true;
  const std::string user = fmt::format("{0} {0} 1", ::geteuid());
  const std::string group = fmt::format("{0} {0} 1", ::getegid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  return write_map("/proc/self/setgroups", "deny") && write_map("/proc/self/uid_map", user) &&
         write_map("/proc/self/gid_map", group);
}

// For this process and all it starts from now on. False: this host does not allow it, and nothing has
// changed.
bool enter_own_shared_memory(std::int64_t bytes) {
  if (!enter_namespaces()) return false;
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return ::mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV,
                 fmt::format("size={},mode=1777", bytes).c_str()) == 0;
}

using Clock = std::chrono::steady_clock;

constexpr int kGangCouldNotStart = 127;  // as a shell says it
constexpr int kBetweenLooksMs = 200;     // at time limit and signals, when no rank ends
// After the first failure: time for the others to say what they saw of it.
constexpr std::chrono::milliseconds kLastWords{1500};

class Gang {
 public:
  Gang(const AttemptFolder& folder, const Plan& plan, const process::SignalGate& signals)
      : folder_(folder), plan_(plan), signals_(signals) {
    if (plan.time_limit_s > 0) time_limit_ = Clock::now() + std::chrono::seconds(plan.time_limit_s);
  }

  // The ranks of one node.
  bool start(int node) {
    const int first = first_rank_on(node, plan_.workers, plan_.nodes);
    for (int rank = first; rank < first + ranks_on(node, plan_.workers, plan_.nodes); ++rank) {
      if (!start_rank(rank)) {
        note_failure(kGangCouldNotStart);
        ask_all(SIGTERM);
        return false;
      }
    }
    return true;
  }

  int until_the_end() {
    while (!ranks_.empty()) {
      wait();
      while (const auto number = signals_.next()) {
        if (*number != SIGCHLD) ask_all(*number);
      }
      reap();
      if (time_limit_ && Clock::now() >= *time_limit_) {
        note_failure(kTimeLimitStatus);
        ask_all(SIGTERM);
      }
      heed_other_nodes();
      if (ask_others_at_ && Clock::now() >= *ask_others_at_) ask_all(SIGTERM);
    }
    return status_;
  }

 private:
  bool start_rank(int rank) {
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) return false;
    if (pid > 0) {
      ranks_[pid] = rank;
      return true;
    }
    ::setpgid(0, 0);  // what is sent to the gang reaches the rank once, through it
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(kGangCouldNotStart);
    ::_exit(run_rank(folder_, plan_, rank));
  }

  void wait() const {
    std::optional<Clock::time_point> next = time_limit_;
    if (ask_others_at_) next = next ? std::min(*next, *ask_others_at_) : ask_others_at_;
    int timeout_ms = plan_.nodes > 1 ? kBetweenLooksMs : -1;
    if (next) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now()).count();
      const auto limit = timeout_ms < 0 ? 1 << 30 : timeout_ms;
      timeout_ms = static_cast<int>(std::clamp<decltype(left)>(left, 0, limit));
    }
    pollfd watched{.fd = signals_.fd(), .events = POLLIN, .revents = 0};
    ::poll(&watched, 1, timeout_ms);
  }

  void reap() {
    int state = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &state, WNOHANG)) > 0;) {
      if (ranks_.erase(pid) == 0) continue;
      const int status = WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
      if (status == 0 || were_asked_) continue;
      note_failure(status);
      if (!ask_others_at_) ask_others_at_ = Clock::now() + kLastWords;
    }
  }

  void note_failure(int status) {
    if (status_ != 0) return;
    status_ = status;
    if (plan_.nodes > 1) static_cast<void>(base::write_file(folder_.failed_node(), "").ok());
  }

  // The launcher would notice only when this whole node has ended, and the watcher of the first one waits for
  // the others.
  void heed_other_nodes() {
    std::error_code ignored;
    if (plan_.nodes == 1 || were_asked_ || ask_others_at_) return;
    if (std::filesystem::exists(folder_.failed_node(), ignored)) ask_others_at_ = Clock::now() + kLastWords;
  }

  void ask_all(int number) {
    ask_others_at_.reset();
    time_limit_.reset();
    were_asked_ = true;
    note_failure(128 + number);
    for (const auto& [pid, rank] : ranks_) ::kill(pid, number);
  }

  const AttemptFolder& folder_;
  const Plan& plan_;
  const process::SignalGate& signals_;
  std::map<pid_t, int> ranks_;
  std::optional<Clock::time_point> time_limit_;
  std::optional<Clock::time_point> ask_others_at_;
  bool were_asked_ = false;
  int status_ = 0;
};

}  // namespace

int run_gang(const AttemptFolder& folder) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  auto read = read_plan(folder.plan());
  if (!read.ok() || ::chdir(read.value().directory.c_str()) != 0) return kGangCouldNotStart;
  Plan plan = std::move(read).value();
  const int node = plan.is_on_cluster() ? own_node().value_or(0) : 0;
  if (plan.is_on_cluster()) plan.places = places_told(folder, plan.nodes);
  const bool is_horovod = plan.framework == Framework::kHorovod && node == 0;
  const process::SignalGate signals({SIGTERM, SIGINT, SIGHUP, SIGCHLD});
  std::optional<HorovodRendezvous> rendezvous;
  if (is_horovod) {
    auto made = plan.places.empty()
                    ? HorovodRendezvous::listen_on(plan.ports.front())
                    : HorovodRendezvous::listen_on(plan.places[0].ports.front(), plan.places[0].address);
    if (!made.ok()) {
      const Error& error = made.error();
      say_for_rank(folder, plan, 0,
                   fmt::format("lockstep: {}: {}: {}\n", error.what, error.where, error.why));
      return kGangCouldNotStart;
    }
    rendezvous.emplace(std::move(made).value());
  }
  if (plan.shared_memory > 0) static_cast<void>(enter_own_shared_memory(plan.shared_memory));
  Gang gang(folder, plan, signals);
  if (gang.start(node) && rendezvous) rendezvous->serve();  // a thread: only after the last fork
  return gang.until_the_end();
}

}  // namespace lockstep::service
