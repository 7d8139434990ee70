#include "diagnose/quiet_job.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnose/arbitrate/known_fixes.h"
#include "model/finding_code.h"
#include "model/rank.h"
#include "readers/ranks_of_names.h"
#include "run/evidence/activity.h"
#include "run/evidence/log_processes.h"
#include "run/evidence/process_facts.h"

namespace lockstep::diagnose {

namespace {

using evidence::Doing;

// Where one process writes the logs of one rank alone, it is that rank, whatever its variables say.
RankByProcess ranks_by_log(std::span<const LogPlace> logs, std::span<const evidence::WrittenLog> written) {
  std::map<pid_t, std::set<int>> ranks;
  for (const evidence::WrittenLog& log : written) {
    for (const pid_t writer : log.writers) {
      if (logs[log.log].rank) ranks[writer].insert(*logs[log.log].rank);
    }
  }
  RankByProcess only;
  for (const auto& [pid, of_process] : ranks) {
    if (of_process.size() == 1) only[pid] = *of_process.begin();
  }
  return only;
}

}  // namespace

RankByProcess ranks_of(const process::Roots& roots, std::span<const LogPlace> logs,
                       std::span<const evidence::WrittenLog> written,
                       std::span<const evidence::Activity> activities) {
  const RankByProcess by_log = ranks_by_log(logs, written);
  RankByProcess ranks;
  for (const evidence::Activity& one : activities) {
    const auto told = evidence::rank_of_process(roots, one.pid);
    const auto known = by_log.find(one.pid);
    if (known != by_log.end()) {
      ranks[one.pid] = known->second;
    } else if (told) {
      ranks[one.pid] = *told;
    }
  }
  return ranks;
}

std::optional<int> odd_one_in(const RankByProcess& rank_of, std::span<const evidence::Activity> activities) {
  std::map<std::optional<long>, std::set<int>> ranks;  // by system call; none: they ask
  std::set<int> all;
  for (const evidence::Activity& one : activities) {
    const auto rank = rank_of.find(one.pid);
    // Helpers that a rank started have its variables too, and younger numbers.
    if (rank == rank_of.end() || !all.insert(rank->second).second) continue;
    ranks[one.doing == Doing::kWaits ? one.waits_in : std::nullopt].insert(rank->second);
  }
  constexpr std::size_t kFewest = 3;
  if (ranks.size() != 2 || all.size() < kFewest) return std::nullopt;
  for (const auto& [waits_in, those] : ranks) {
    if (those.size() == 1 && waits_in) return *those.begin();
  }
  return std::nullopt;
}

namespace {

using logs::Stage;

constexpr Seconds kLong{60};

std::string_view code_for(Stage stage) {
  if (stage == Stage::kTrain) return model::codes::kHangSilent;
  return stage == Stage::kPrepare ? model::codes::kHangPrepareSilent : model::codes::kHangSetupSilent;
}

std::string_view code_for(const QuietJob& job, Stage stage) {
  if (job.state == JobState::kStopped) return model::codes::kStoppedRank;
  if (!job.ended_ranks.empty() && stage == Stage::kTrain) return model::codes::kEndedEarly;
  return code_for(stage);
}

// A healthy job may wait for a minute, for data or for whoever saves.
double confidence_in(const QuietJob& job) {
  switch (job.state) {
    case JobState::kStopped:
      return 0.8;
    case JobState::kWaits:
      return job.silence >= kLong ? 0.6 : 0.45;
    case JobState::kAsks:
      return job.silence >= kLong ? 0.5 : 0.4;
    case JobState::kWorks:
      return 0.3;
  }
  return 0;
}

std::string in_words(Seconds time) {
  if (time < Seconds(1)) return fmt::format("{:.0f} ms", time.count() * 1000);
  if (time < Seconds(120)) return fmt::format("{:.0f} s", time.count());
  return fmt::format("{:.0f} min", time.count() / 60);
}

std::string what_is_quiet(const QuietJob& job) {
  std::string text = fmt::format("The job still runs and has printed nothing for {}", in_words(job.silence));
  if (job.usual_gap) text += fmt::format("; before, a line came every {}", in_words(*job.usual_gap));
  return text + ".";
}

std::string ranks_in_words(const std::vector<int>& ranks) {
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", model::compress_ranks(ranks));
}

std::string what_its_processes_do(const QuietJob& job) {
  const auto shown = job.processes.begin();
  if (job.state == JobState::kStopped) {
    const std::vector<pid_t> stopped(shown, shown + static_cast<std::ptrdiff_t>(job.stopped_processes));
    const std::string whose =
        job.stopped_ranks.empty() ? "" : fmt::format(" of {}", ranks_in_words(job.stopped_ranks));
    return fmt::format("The {}{} (pid {}) {} stopped by a signal; whoever meets it in a collective waits.",
                       stopped.size() == 1 ? "process" : "processes", whose, fmt::join(stopped, ", "),
                       stopped.size() == 1 ? "is" : "are");
  }
  if (job.state == JobState::kWorks)
    return "Its processes use their processors: they may compute, or ask again and again for what does not "
           "come.";
  if (job.state == JobState::kAsks)
    return "All its processes wait or ask again and again, for each other or for data that does not come.";
  return "All its processes wait: for each other, or for data that does not come.";
}

std::vector<int> who_began_it(const QuietJob& job) {
  if (!job.stopped_ranks.empty()) return job.stopped_ranks;
  return job.odd_rank ? std::vector<int>{*job.odd_rank} : job.ended_ranks;
}

std::string who_is_elsewhere(const QuietJob& job) {
  if (!job.odd_rank) return "";
  return fmt::format(" Rank {} waits in another way than all others, so it is not in the call they are in.",
                     *job.odd_rank);
}

std::string who_is_gone(const QuietJob& job) {
  if (job.ended_ranks.empty()) return "";
  return fmt::format(" Nobody writes the log of {} any more: it has ended, and the others go on.",
                     ranks_in_words(job.ended_ranks));
}

}  // namespace

std::optional<model::Finding> finding_about(const QuietJob& job, Stage stage,
                                            const catalogue::Catalogue& catalogue,
                                            const model::Evidence& last_line) {
  const bool is_training = job.has_ranks || stage >= Stage::kSetup;
  if (!is_training) return std::nullopt;
  const catalogue::Symptom& entry = catalogue.at(code_for(job, stage));
  model::Finding finding;
  finding.leaf = entry.leaf;
  finding.code = entry.code;
  finding.scope = entry.scope;
  finding.confidence = confidence_in(job);
  finding.title = entry.title;
  finding.explanation =
      what_is_quiet(job) + " " + what_its_processes_do(job) + who_is_elsewhere(job) + who_is_gone(job);
  finding.evidence = {last_line};
  finding.fixes = fixes_of(entry);
  finding.evidence.front().level = model::EvidenceLevel::kAbsence;
  finding.root_ranks = who_began_it(job);
  if (!finding.root_ranks.empty()) finding.victim_ranks = job.other_ranks;
  return finding;
}

std::string how_to_see_more(const QuietJob& job) {
  constexpr std::size_t kMax = 16;
  const std::vector<pid_t> shown(
      job.processes.begin(),
      job.processes.begin() + static_cast<std::ptrdiff_t>(std::min(kMax, job.processes.size())));
  return fmt::format(
      "mkdir stacks; for pid in {}{}; do py-spy dump --pid $pid > stacks/$pid.txt; done   # and give "
      "`lockstep "
      "diagnose` that folder too",
      fmt::join(shown, " "), shown.size() < job.processes.size() ? " ..." : "");
}

namespace {

using evidence::Doing;
using std::chrono::system_clock;

// How long a job in this state may say nothing, whatever its pace, and in gaps between its lines.
struct Patience {
  Seconds least;
  double gaps;
};
constexpr Seconds kMinPause{5};
constexpr Seconds kPauseOfUnknownPace{30};

Patience patience_with(JobState state) {
  switch (state) {
    case JobState::kStopped:
    case JobState::kWaits:
      return {kMinPause, 2};
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
  if (pace.silence < kMinPause) return std::nullopt;
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

namespace {

std::vector<LogPlace> places_of(const readers::ReadResult& read) {
  std::vector<LogPlace> places;
  for (const readers::LogFile& log : read.logs) {
    const std::string_view bytes = log.bytes.view();
    const std::int64_t lines = log.lines.line_at(bytes, bytes.size()) - 1;
    places.push_back({.path = log.name, .rank = std::nullopt, .lines = static_cast<std::uint64_t>(lines)});
  }
  for (const std::string& name : read.empty_files) {
    places.push_back({.path = name, .rank = std::nullopt});
  }
  std::vector<std::string> names;
  for (const LogPlace& place : places) names.push_back(place.path.string());
  const std::vector<std::optional<int>> ranks = readers::ranks_of_names(names);
  for (std::size_t place = 0; place < places.size(); ++place) places[place].rank = ranks[place];
  return places;
}

model::Evidence last_line_of(const readers::ReadResult& read, std::size_t place) {
  model::Evidence last_line;
  if (place >= read.logs.size()) {
    last_line.file = read.empty_files[place - read.logs.size()];
    return last_line;
  }
  const readers::LogFile& log = read.logs[place];
  std::string_view bytes = log.bytes.view();
  bytes = bytes.substr(0, bytes.find_last_not_of("\r\n") + 1);
  const std::size_t newline = bytes.find_last_of("\r\n");
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  constexpr std::size_t kLongest = 600;
  last_line.file = log.name;
  last_line.line = log.lines.line_at(log.bytes.view(), begin);
  last_line.rank = log.rank;
  last_line.text = bytes.substr(begin, kLongest);
  return last_line;
}

}  // namespace

std::optional<Hanging> look_whether_it_hangs(const readers::ReadResult& read, logs::Stage stage,
                                             const catalogue::Catalogue& catalogue) {
  const std::vector<LogPlace> places = places_of(read);
  const auto job = find_quiet_job(places);
  if (!job) return std::nullopt;
  auto finding = finding_about(*job, stage, catalogue, last_line_of(read, job->last_log));
  if (!finding) return std::nullopt;
  return Hanging{.finding = *std::move(finding), .to_learn_more = how_to_see_more(*job)};
}

}  // namespace lockstep::diagnose
