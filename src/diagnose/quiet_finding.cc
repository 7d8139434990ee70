#include "diagnose/quiet_finding.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnose/arbitrate/known_fixes.h"
#include "model/rank_set.h"

namespace lockstep::diagnose {
namespace {

using logs::Stage;

constexpr Seconds kLong{60};

std::string_view code_for(Stage stage) {
  if (stage == Stage::kTrain) return "hang.silent";
  return stage == Stage::kPrepare ? "hang.prepare_silent" : "hang.setup_silent";
}

std::string_view code_for(const QuietJob& job, Stage stage) {
  if (job.state == JobState::kStopped) return "desync.stopped_rank";
  if (!job.ended_ranks.empty() && stage == Stage::kTrain) return "desync.ended_early";
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
  constexpr std::size_t kMost = 16;
  const std::vector<pid_t> shown(
      job.processes.begin(),
      job.processes.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, job.processes.size())));
  return fmt::format(
      "mkdir stacks; for pid in {}{}; do py-spy dump --pid $pid > stacks/$pid.txt; done   # and give "
      "`lockstep "
      "diagnose` that folder too",
      fmt::join(shown, " "), shown.size() < job.processes.size() ? " ..." : "");
}

}  // namespace lockstep::diagnose
