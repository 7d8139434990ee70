#include "launch/run_job.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <poll.h>

#include "process/signal_gate.h"

namespace lockstep::launch {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kInterval{100};
constexpr milliseconds kSoonest{10};  // when many processes end one after another
constexpr int kCostRatio = 3;         // for thousands of ranks; some hundred take a thirtieth of a core

class WatchedRun {
 public:
  WatchedRun(const Supervisor& job, const process::SignalGate& signals, watch::Watcher& watcher,
             const OnNotice& on_notice)
      : job_(job), signals_(signals), watcher_(watcher), on_notice_(on_notice) {}

  void until_the_end() {
    while (!wait()) {
      pass_signals_on();
      tick();
    }
  }

 private:
  // True when the job has ended.
  bool wait() {
    std::vector<pollfd> watched = {{.fd = job_.fd(), .events = POLLIN, .revents = 0},
                                   {.fd = signals_.fd(), .events = POLLIN, .revents = 0}};
    for (const int fd : watcher_.process_fds()) watched.push_back({.fd = fd, .events = POLLIN, .revents = 0});
    const auto left = std::chrono::ceil<milliseconds>(next_tick_ - Clock::now());
    ::poll(watched.data(), watched.size(), static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    const bool a_process_ended = std::any_of(watched.begin() + 2, watched.end(),
                                             [](const pollfd& process) { return process.revents != 0; });
    if (a_process_ended) next_tick_ = std::min(next_tick_, last_tick_ + kSoonest);
    return watched[0].revents != 0;
  }

  void pass_signals_on() {
    while (const auto number = signals_.next()) ask_to_end(*number);
  }

  // What ranks do from now on is about that, and no longer worth watching.
  void ask_to_end(int signal) {
    job_.send(signal);
    was_asked_to_end_ = true;
  }

  void tick() {
    const Clock::time_point begin = Clock::now();
    if (begin < next_tick_) return;
    if (!was_asked_to_end_) watch();
    last_tick_ = Clock::now();
    const auto took = last_tick_ - begin;
    next_tick_ = begin + std::max<Clock::duration>(kInterval, kCostRatio * took);
  }

  void watch() {
    for (const watch::Notice& notice : watcher_.tick()) {
      if (on_notice_(notice, watcher_) == Answer::kEndJob && !was_asked_to_end_) ask_to_end(SIGTERM);
    }
  }

  const Supervisor& job_;
  const process::SignalGate& signals_;
  watch::Watcher& watcher_;
  const OnNotice& on_notice_;
  bool was_asked_to_end_ = false;
  Clock::time_point last_tick_{};
  Clock::time_point next_tick_ = Clock::now() + kInterval;
};

}  // namespace

Result<WatchedEnd> run_job(const process::Command& command, const std::filesystem::path& recording,
                           const OnNotice& on_notice) {
  Supervisor job = TRY(Supervisor::start(command, recording));
  const process::SignalGate signals({SIGINT, SIGTERM, SIGHUP});
  watch::Watcher watcher(recording);
  WatchedRun(job, signals, watcher, on_notice).until_the_end();
  WatchedEnd end;
  end.findings = watcher.findings();
  end.first_loss = watcher.first_loss();
  end.job = TRY(job.finish());
  watcher.follow_to_the_end();
  const std::vector<const watch::LiveRank*> ranks = watcher.job().ranks();
  end.ranks_recorded = ranks.size();
  if (!ranks.empty()) end.frameworks = ranks.front()->recorded_frameworks();
  return end;
}

void forget_what_passed(WatchedEnd& end) {
  if (end.job.run.status() != 0) {
    const bool was_asked = end.job.run.interrupted_by.has_value();
    if (end.findings.empty() && !was_asked) end.findings = std::move(end.first_loss);
    return;
  }
  std::erase_if(end.findings, [](const model::Finding& finding) {
    return finding.code.starts_with("desync.") || finding.code.starts_with("deadlock.") ||
           finding.code.starts_with("point_to_point.");
  });
}

}  // namespace lockstep::launch
