#include "run/supervise/run_job.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <limits>
#include <poll.h>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/process/signal_gate.h"
#include "model/finding_code.h"
#include "run/supervise/adapter_notes.h"
#include "run/watch/live_job.h"
#include "run/watch/live_judge.h"

namespace lockstep::supervise {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kInterval{100};           // between two looks: a hang is noticed in seconds anyway
constexpr milliseconds kSoonest{10};             // when many processes end one after another
constexpr int kCostRatio = 3;                    // for thousands of ranks; some hundred take 1/30 of a core
constexpr milliseconds kOthersEnd{5'000};        // what other hosts get after a good end
constexpr milliseconds kOthersEndBadly{10'000};  // launchers give the rest of a job some time
constexpr milliseconds kVerdictTime{10'000};     // the head judges the whole job
constexpr milliseconds kSettles{2'000};    // after a host was lost: its peers have failed or stand still
constexpr std::chrono::seconds kQuiet{2};  // without a word of any rank: the job may hang

// Hosts whose watchers were lost while the job ran. What was last known about their ranks is evidence while
// the job stands still; once the others go on, it is out of date.
class LostHosts {
 public:
  void add(std::string host, const std::vector<int>& ranks);

  // Those without which the job went on, each once.
  std::vector<std::string> left_behind(const watch::LiveJob& job);

 private:
  struct Lost {
    std::string host;
    std::set<int> ranks;
    Clock::time_point since;
    std::uint64_t calls = 0;  // of the other ranks, some time after it was lost
    bool is_settled = false;
  };

  std::vector<Lost> lost_;
};

std::uint64_t calls_without(const watch::LiveJob& job, const std::set<int>& ranks) {
  std::uint64_t calls = 0;
  for (const watch::LiveRank* rank : job.ranks()) {
    if (!ranks.contains(rank->rank())) calls += rank->calls();
  }
  return calls;
}

void LostHosts::add(std::string host, const std::vector<int>& ranks) {
  lost_.push_back({.host = std::move(host), .ranks = {ranks.begin(), ranks.end()}, .since = Clock::now()});
}

std::vector<std::string> LostHosts::left_behind(const watch::LiveJob& job) {
  std::vector<std::string> left;
  std::erase_if(lost_, [&](Lost& lost) {
    if (Clock::now() - lost.since < kSettles) return false;
    const std::uint64_t calls = calls_without(job, lost.ranks);
    if (!std::exchange(lost.is_settled, true)) lost.calls = calls;
    if (calls == lost.calls) return false;
    left.push_back(lost.host);
    return true;
  });
  return left;
}

// True when the descriptor became readable before then.
bool wait_for(int fd, Clock::time_point until) {
  pollfd watched{.fd = fd, .events = POLLIN, .revents = 0};
  const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
  return ::poll(&watched, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0))) == 1;
}

class WatchedRun {
 public:
  WatchedRun(const Supervisor& job, const process::SignalGate& signals, watch::Watcher& watcher,
             multihost::Link* link, const Listener& listener)
      : job_(job), signals_(signals), watcher_(watcher), link_(link), listener_(listener) {}

  void until_the_end() {
    while (!wait()) {
      pass_signals_on();
      hear_news();
      tick();
    }
    pass_signals_on();  // those that came for the job: none may end the verdict
  }

  // What other hosts still have to tell, until they have or a signal comes.
  void hear_others_out(int status) {
    if (link_ == nullptr) return;
    link_->finish(status);
    const auto until = Clock::now() + (status == 0 ? kOthersEnd : kOthersEndBadly);
    while (!link_->is_finished() && Clock::now() < until && !was_asked_again()) {
      wait_for(link_->fd(), std::min(until, Clock::now() + kInterval));
      hear_news();
    }
    hear_news();
  }

  bool was_quiet_when_asked() const { return was_quiet_; }

 private:
  // True when the job has ended.
  bool wait() {
    std::vector<pollfd> watched = {{.fd = job_.fd(), .events = POLLIN, .revents = 0},
                                   {.fd = signals_.fd(), .events = POLLIN, .revents = 0}};
    for (const int fd : watcher_.process_fds()) watched.push_back({.fd = fd, .events = POLLIN, .revents = 0});
    if (link_ != nullptr) watched.push_back({.fd = link_->fd(), .events = POLLIN, .revents = 0});
    const auto left = std::chrono::ceil<milliseconds>(next_tick_ - Clock::now());
    ::poll(watched.data(), watched.size(), static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (link_ != nullptr) watched.pop_back();
    const bool a_process_ended = std::any_of(watched.begin() + 2, watched.end(),
                                             [](const pollfd& process) { return process.revents != 0; });
    if (a_process_ended) next_tick_ = std::min(next_tick_, last_tick_ + kSoonest);
    return watched[0].revents != 0;
  }

  void pass_signals_on() {
    while (const auto signal = signals_.next_arrived()) {
      if (job_.asks_to_end(signal->number)) note_asked();
      job_.pass_on(*signal);
    }
  }

  bool was_asked_again() {
    while (const auto number = signals_.next()) {
      if (job_.asks_to_end(*number)) return true;
    }
    return false;
  }

  // Whoever ends a job may do so because it hangs, before the watcher is sure of it.
  bool is_quiet() const {
    std::int64_t last_word_ns = 0;
    for (const watch::LiveRank* rank : watcher_.job().ranks())
      last_word_ns = std::max(last_word_ns, rank->last_word_ns());
    return last_word_ns != 0 &&
           watcher_.job().now_ns() - last_word_ns >= std::chrono::nanoseconds(kQuiet).count();
  }

  // What ranks do from now on is about that, and no longer worth watching.
  void note_asked() {
    if (!was_asked_to_end_) was_quiet_ = is_quiet();
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
    if (link_ != nullptr && !link_->judges_here()) return watcher_.follow();
    if (link_ != nullptr) look_at_links();
    for (const watch::Notice& notice : watcher_.tick()) answer(listener_.on_notice(notice, watcher_, link_));
  }

  void look_at_links() {
    constexpr std::int64_t kAlways = std::numeric_limits<std::int64_t>::max();
    watcher_.know_only_until(link_->known_until_ns().value_or(kAlways));
    for (const std::string& host : lost_.left_behind(watcher_.job())) link_->forget(host);
  }

  void hear_news() {
    if (link_ == nullptr) return;
    for (const multihost::News& news : link_->take_news()) {
      if (news.kind == multihost::News::Kind::kLost) lost_.add(news.host, news.ranks);
      answer(listener_.on_news(news, watcher_, *link_));
    }
  }

  void answer(Answer answer) {
    if (answer != Answer::kEndJob || was_asked_to_end_) return;
    was_asked_to_end_ = true;
    job_.end_job();
  }

  const Supervisor& job_;
  const process::SignalGate& signals_;
  watch::Watcher& watcher_;
  multihost::Link* link_;
  const Listener& listener_;
  LostHosts lost_;
  bool was_asked_to_end_ = false;
  bool was_quiet_ = false;
  Clock::time_point last_tick_{};
  Clock::time_point next_tick_ = Clock::now() + kInterval;
};

std::string_view name_of(int signal) {
  switch (signal) {
    case SIGINT:
      return "SIGINT, as Ctrl-C sends";
    case SIGHUP:
      return "SIGHUP, as a terminal sends that closes";
    default:
      return "SIGTERM, as schedulers and time limits send";
  }
}

}  // namespace

Result<WatchedEnd> run_job(const process::Command& command, const std::filesystem::path& recording,
                           const std::optional<HostsRequest>& hosts, const Listener& listener,
                           Caller caller) {
  // Schedulers signal every process of a step: none of these is for the watcher, and none may end it, from
  // its first moment on.
  const process::SignalGate signals =
      process::SignalGate::of_all({SIGCHLD, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT});
  Supervisor job = TRY(Supervisor::start(command, recording, caller));
  WatchedEnd end;
  if (hosts) {
    auto joined = join_hosts(*hosts, recording);
    if (joined.ok()) {
      end.link = std::move(joined).value();
    } else {
      listener.on_error(joined.error());
    }
  }
  watch::Watcher watcher(recording);
  WatchedRun run(job, signals, watcher, end.link.get(), listener);
  run.until_the_end();
  end.was_quiet_when_asked = run.was_quiet_when_asked();
  end.findings = watcher.findings();
  end.job = TRY(job.finish());
  run.hear_others_out(end.job.run.status());
  watcher.follow();
  watcher.review_first_loss();
  end.first_loss = watcher.first_loss();
  const std::vector<const watch::LiveRank*> ranks = watcher.job().ranks();
  end.ranks_recorded = ranks.size();
  if (!ranks.empty()) end.frameworks = ranks.front()->recorded_frameworks();
  end.adapter_notes = adapter_notes(recording, ranks);
  return end;
}

void forget_what_passed(WatchedEnd& end) {
  if (end.job.run.status() != 0) {
    const bool was_asked = end.job.run.interrupted_by.has_value();
    if (end.findings.empty() && !was_asked) end.findings = std::move(end.first_loss);
    return;
  }
  std::erase_if(end.findings, watch::is_about_waiting);
}

void add_interruption(WatchedEnd& end) {
  const process::RunEnd& run = end.job.run;
  // Of several hosts one may be ended because another failed.
  const bool was_healthy = end.findings.empty() && !end.was_quiet_when_asked && end.link == nullptr;
  if (!run.interrupted_by || run.status() == 0 || !was_healthy) return;
  const bool is_by_hand = *run.interrupted_by == SIGINT;
  model::Finding finding;
  finding.leaf = model::Leaf::kPerfOther;
  finding.code = is_by_hand ? model::codes::kSchedInterrupted : model::codes::kSchedDeathSignal;
  finding.scope = model::Scope::kUnknown;
  finding.confidence = 0.95;
  finding.title = is_by_hand ? "The job was interrupted" : "The job was told to end";
  finding.explanation = fmt::format(
      "lockstep run got {}, after {:.1f} s, and passed it on. No rank was stuck until then; what the ranks "
      "were doing when they ended is not judged.",
      name_of(*run.interrupted_by), static_cast<double>(run.ran.count()) / 1000);
  end.findings.push_back(std::move(finding));
}

std::optional<multihost::HeadVerdict> verdict_of_head(multihost::Link& link) {
  const auto until = Clock::now() + kVerdictTime;
  for (;;) {
    const bool is_last_look = link.judges_here() || Clock::now() >= until;
    for (multihost::News& news : link.take_news()) {
      if (news.kind == multihost::News::Kind::kVerdict) return std::move(news.verdict);
    }
    if (is_last_look) return std::nullopt;
    wait_for(link.fd(), until);
  }
}

}  // namespace lockstep::supervise
