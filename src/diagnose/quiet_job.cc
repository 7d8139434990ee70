#include "diagnose/quiet_job.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "diagnose/arbitrate/process_ranks.h"
#include "run/evidence/activity.h"
#include "run/evidence/log_processes.h"

namespace lockstep::diagnose {
namespace {

using evidence::Doing;
using std::chrono::system_clock;

// How long a job in this state may say nothing, whatever its pace, and in gaps between its lines.
struct Patience {
  Seconds least;
  double gaps;
};
constexpr Seconds kLeastPause{5};
constexpr Seconds kPauseOfUnknownPace{30};

Patience patience_with(JobState state) {
  switch (state) {
    case JobState::kStopped:
    case JobState::kWaits:
      return {kLeastPause, 2};
    case JobState::kAsks:
      return {Seconds(7), 5};
    case JobState::kWorks:
      return {Seconds(600), 50};
  }
  return {};
}

constexpr std::chrono::milliseconds kLook{600};
constexpr std::chrono::hours kStillWaitedFor{72};  // nobody waits for a job whose logs are older
constexpr double kAnyWork = 0.2;                   // seconds of a processor: `tee` and shells have less

std::optional<Seconds> gap_of(const LogPlace& log, const evidence::FileLife& life) {
  constexpr std::uint64_t kFewestLines = 3;
  if (!life.made || log.lines < kFewestLines || life.written <= *life.made) return std::nullopt;
  return Seconds(life.written - *life.made) / static_cast<double>(log.lines);
}

struct Pace {
  Seconds silence{};
  std::optional<Seconds> gap;  // of the log that says most
  std::size_t last_log = 0;
};

Pace pace_of(std::span<const LogPlace> logs, std::span<const evidence::WrittenLog> written) {
  const auto last = std::ranges::max_element(written, {}, [](const auto& log) { return log.life.written; });
  Pace pace;
  pace.silence = Seconds(system_clock::now() - last->life.written);
  pace.last_log = last->log;
  for (const evidence::WrittenLog& log : written) {
    const auto gap = gap_of(logs[log.log], log.life);
    if (gap && (!pace.gap || *gap < *pace.gap)) pace.gap = gap;
  }
  return pace;
}

bool is_longer_than_a_pause(const Pace& pace, JobState state) {
  const Patience patience = patience_with(state);
  if (pace.gap) return pace.silence >= std::max(patience.least, patience.gaps * *pace.gap);
  return pace.silence >= std::max(patience.least, kPauseOfUnknownPace);
}

std::set<int> ranks_with_logs(std::span<const LogPlace> logs) {
  std::set<int> ranks;
  for (const LogPlace& log : logs) {
    if (log.rank) ranks.insert(*log.rank);
  }
  return ranks;
}

std::vector<int> without(const std::set<int>& ranks, const std::set<int>& left_out) {
  std::vector<int> rest;
  std::ranges::set_difference(ranks, left_out, std::back_inserter(rest));
  return rest;
}

bool is_somebody(const evidence::Activity& one) {
  return one.doing == Doing::kStopped || one.cpu_seconds >= kAnyWork;
}

JobState state_of(std::span<const evidence::Activity> activities) {
  JobState state = JobState::kWaits;
  for (const evidence::Activity& one : activities) {
    if (one.doing == Doing::kStopped) return JobState::kStopped;
    if (one.doing == Doing::kPolls) state = std::max(state, JobState::kAsks);
    if (one.doing == Doing::kWorks) state = JobState::kWorks;
  }
  return state;
}

std::vector<evidence::Activity> watch_all(const process::Roots& roots,
                                          std::span<const evidence::WrittenLog> written) {
  std::set<pid_t> processes;
  for (const evidence::WrittenLog& log : written) {
    processes.insert(log.processes.begin(), log.processes.end());
  }
  auto activities = evidence::watch_activity(roots, std::vector(processes.begin(), processes.end()), kLook);
  std::erase_if(activities, [](const evidence::Activity& one) { return one.doing == Doing::kGone; });
  return activities;
}

void put_processes(std::span<const evidence::Activity> activities, const RankByProcess& rank_of,
                   QuietJob& job) {
  std::set<int> stopped;
  for (const evidence::Activity& one : activities) {
    if (one.doing != Doing::kStopped) {
      job.processes.push_back(one.pid);
      continue;
    }
    job.processes.insert(job.processes.begin(), one.pid);
    ++job.stopped_processes;
    if (const auto rank = rank_of.find(one.pid); rank != rank_of.end()) stopped.insert(rank->second);
  }
  job.stopped_ranks.assign(stopped.begin(), stopped.end());
}

// Logs on a file server may be written by ranks on other hosts.
bool can_all_be_seen(std::span<const LogPlace> logs) {
  return std::ranges::all_of(logs, [](const LogPlace& log) { return evidence::lies_on_this_host(log.path); });
}

void put_ranks(std::span<const LogPlace> logs, const RankByProcess& rank_of,
               std::span<const evidence::Activity> activities, QuietJob& job) {
  std::set<int> there;
  for (const evidence::Activity& one : activities) {
    if (const auto rank = rank_of.find(one.pid); rank != rank_of.end()) there.insert(rank->second);
  }
  const std::set<int> all = ranks_with_logs(logs);
  job.has_ranks = !there.empty();
  if (job.has_ranks && can_all_be_seen(logs)) job.ended_ranks = without(all, there);
  const bool nobody_works = job.state == JobState::kWaits || job.state == JobState::kAsks;
  if (nobody_works && job.ended_ranks.empty()) job.odd_rank = odd_one_in(rank_of, activities);
  std::set<int> named(job.stopped_ranks.begin(), job.stopped_ranks.end());
  named.insert(job.ended_ranks.begin(), job.ended_ranks.end());
  if (job.odd_rank) named.insert(*job.odd_rank);
  job.other_ranks = without(all, named);
}

}  // namespace

std::optional<QuietJob> find_quiet_job(std::span<const LogPlace> logs, const process::Roots& roots) {
  std::vector<std::filesystem::path> paths;
  std::ranges::transform(logs, std::back_inserter(paths), &LogPlace::path);
  const std::vector<evidence::WrittenLog> written =
      evidence::written_logs(roots, paths, system_clock::now() - kStillWaitedFor);
  if (written.empty()) return std::nullopt;
  const Pace pace = pace_of(logs, written);
  if (pace.silence < kLeastPause) return std::nullopt;
  std::vector<evidence::Activity> activities = watch_all(roots, written);
  const RankByProcess rank_of = ranks_of(roots, logs, written, activities);
  std::erase_if(activities, [&](const evidence::Activity& one) {
    return !is_somebody(one) && !rank_of.contains(one.pid);
  });
  if (std::ranges::none_of(activities, is_somebody)) return std::nullopt;
  QuietJob job;
  job.state = state_of(activities);
  job.silence = pace.silence;
  job.usual_gap = pace.gap;
  job.last_log = pace.last_log;
  if (!is_longer_than_a_pause(pace, job.state)) return std::nullopt;
  put_processes(activities, rank_of, job);
  put_ranks(logs, rank_of, activities, job);
  return job;
}

}  // namespace lockstep::diagnose
