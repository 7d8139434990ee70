#include "diagnose/diagnose.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <unistd.h>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/lines.h"
#include "base/text_search/regex.h"
#include "catalogue/advice.h"
#include "diagnose/arbitrate/arbitrate.h"
#include "diagnose/arbitrate/weigh.h"
#include "diagnose/log_judge.h"
#include "diagnose/own_command.h"
#include "diagnose/quiet_job.h"
#include "diagnose/ranks/analyse.h"
#include "diagnose/ranks/correctness/set_up.h"
#include "model/merge.h"
#include "model/rank.h"

namespace lockstep::diagnose {
namespace {

namespace fs = std::filesystem;

using model::Job;
using model::Verdict;

Result<void> check_paths(const std::vector<fs::path>& paths) {
  for (const fs::path& path : paths) {
    std::error_code fault;
    if (path == "-") continue;
    if (!fs::exists(path, fault)) {
      return Error{"cannot read", path.string(), fault ? fault.message() : "no such file or folder",
                   "give the files or the folder that the job left"};
    }
    const int wanted = fs::is_directory(path, fault) ? R_OK | X_OK : R_OK;
    if (::access(path.c_str(), wanted) != 0)
      return base::error_from_errno("cannot read", path, "read it as the user whose job it was, or as root");
  }
  return {};
}

Error nothing_known(const readers::ReadResult& read) {
  std::string why = "no file of a kind that Lockstep knows";
  if (!read.limits.empty()) why += fmt::format(" ({})", read.limits.front());
  return {"nothing to judge", read.unknown_files.empty() ? "" : read.unknown_files.front(), why,
          "'lockstep help diagnose' lists what it reads"};
}

// A dump that is empty, damaged from its start or something else by that name. Beside others it shows that
// its rank wrote one; alone it shows nothing at all.
bool holds_nothing(const Job& part) {
  return !part.limits.empty() && part.communicators.size() == 0 &&
         std::ranges::all_of(part.ranks, [](const model::RankHistory& history) {
           return history.events.empty() && history.progress.empty() && history.snapshots.empty() &&
                  history.failures.empty() && !history.rank.pid && !history.rank.begun_ns &&
                  history.rank.end == model::RankEnd::kUnknown;
         });
}

bool nothing_could_be_read(const readers::ReadResult& read) {
  return !read.parts.empty() && read.logs.empty() && std::ranges::all_of(read.parts, holds_nothing);
}

Error nothing_readable(const readers::ReadResult& read) {
  return {"nothing to judge", "",
          fmt::format("nothing could be read ({})", read.parts.front().limits.front()),
          "'lockstep help diagnose' lists what it reads"};
}

model::JobSummary summary_of(const Job& job) {
  model::JobSummary summary;
  summary.framework = job.framework;
  summary.backend = job.backend;
  summary.world_size = job.world_size;
  if (!job.hosts.empty()) summary.hosts = static_cast<int>(job.hosts.size());
  for (const model::RankHistory& history : job.ranks) summary.ranks_seen.push_back(history.rank.number);
  return summary;
}

std::vector<int> ranks_without_evidence(const Job& job) {
  const int highest_seen = job.ranks.empty() ? -1 : job.ranks.back().rank.number;
  std::vector<int> missing;
  for (int rank = 0; rank < std::max(job.world_size.value_or(0), highest_seen + 1); ++rank) {
    if (job.find_rank(rank) == nullptr) missing.push_back(rank);
  }
  return missing;
}

std::string unknown_files_in_words(const std::vector<std::string>& files) {
  constexpr std::size_t kMaxNamed = 3;
  const std::vector<std::string> named(
      files.begin(), files.begin() + static_cast<std::ptrdiff_t>(std::min(files.size(), kMaxNamed)));
  return fmt::format("{} {} of a kind that is not known and not used: {}{}", files.size(),
                     files.size() == 1 ? "file is" : "files are", fmt::join(named, ", "),
                     files.size() > kMaxNamed ? " ..." : "");
}

// "a.lockstep: cut", "b.lockstep: cut" become "a.lockstep and 1 more: cut".
std::vector<std::string> with_equal_ones_together(const std::vector<std::string>& limits) {
  struct Group {
    std::string first;
    std::string what;
    std::size_t count = 0;
  };
  std::vector<Group> groups;
  std::map<std::string, std::size_t> place_of;
  for (const std::string& limit : limits) {
    const std::size_t colon = limit.find(": ");
    const bool names_a_file = colon != std::string::npos;
    std::string what = names_a_file ? limit.substr(colon) : limit;
    const auto [place, is_new] = place_of.try_emplace(what, groups.size());
    if (is_new)
      groups.push_back({.first = names_a_file ? limit.substr(0, colon) : "", .what = std::move(what)});
    ++groups[place->second].count;
  }
  std::vector<std::string> together;
  for (const Group& group : groups) {
    together.push_back(group.count == 1 || group.first.empty()
                           ? group.first + group.what
                           : fmt::format("{} and {} more{}", group.first, group.count - 1, group.what));
  }
  return together;
}

std::vector<std::string> limits_of(const readers::ReadResult& read, const Job& job) {
  std::vector<std::string> limits = job.limits;
  limits.insert(limits.end(), read.limits.begin(), read.limits.end());
  limits = with_equal_ones_together(limits);
  const std::vector<int> missing = ranks_without_evidence(job);
  if (!missing.empty()) {
    limits.push_back(fmt::format("{} {} left no dump or recording", missing.size() == 1 ? "rank" : "ranks",
                                 model::compress_ranks(missing)));
  }
  if (!read.unknown_files.empty()) limits.push_back(unknown_files_in_words(read.unknown_files));
  return limits;
}

// Of codes that the analysis of ranks knows as well.
void add_known_fixes(std::vector<model::Finding>& from_logs) {
  for (model::Finding& finding : from_logs) {
    if (finding.fixes.empty()) finding.fixes = catalogue::fixes_for(finding.code);
  }
}

// What the job does not have cannot be changed.
void drop_fixes_that_cannot_apply(Verdict& verdict) {
  for (model::Finding& finding : verdict.findings) {
    std::erase_if(finding.fixes,
                  [&](const model::Fix& fix) { return !model::applies_to(fix, verdict.job.framework); });
  }
}

// Whoever finds nothing clear in the logs of a job that still runs looks at the job.
Result<void> look_at_processes(const readers::ReadResult& read, LogJudge& log_judge, logs::Stage stage,
                               Story& story) {
  if (!log_judge.catalogue().ok()) return log_judge.catalogue().error();
  auto hanging = look_whether_it_hangs(read, stage, log_judge.catalogue().value());
  if (!hanging) return {};
  story.silence = std::move(hanging->finding);
  story.limits_of_logs.push_back("to learn more: " + hanging->to_learn_more);
  return {};
}

// What the ranks did: what was seen while they ran, else what their records show.
Story story_of(const Job& job, std::vector<model::Finding> seen_live, LogJudge& log_judge) {
  Story story;
  story.fate = fate_of(job);
  story.interruption = take_interruption(seen_live);
  if (story.interruption && log_judge.catalogue().ok())
    story.interruption->fixes = log_judge.catalogue().value().at(story.interruption->code).fixes;
  story.was_seen_live = !seen_live.empty();
  if (story.was_seen_live) {
    ranks::add_version_skew(job, seen_live);
    story.ranks = claims_of_ranks(std::move(seen_live));
  } else {
    ranks::Analysis analysis = ranks::analyse_with_reasons(job);
    story.ranks = claims_of_ranks(std::move(analysis.findings));
    story.decisions = std::move(analysis.decisions);
  }
  return story;
}

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return std::tolower(c); });
  return small;
}

// The words that logs of training have in common. Of those that other texts have as well, one is chance: a
// table of services knows a protocol "ddp", a processor has a "model name".
bool speaks_of_training(std::string_view text) {
  static const base::Regex clear = base::Regex::of_our_own(
      R"((\b|_)(ranks?|epochs?|training|trainer|checkpoints?|gpus?|cuda|nccl|hccl|gloo|torch\w*|optimizer|worldsize)"
      R"(|horovod\w*|tensorflow|keras|deepspeed|fsdp|srun|slurmstepd|mpirun|mpiexec)(\b|_|\d)|\d(it/s|s/it)\b)");
  static const base::Regex common = base::Regex::of_our_own(
      R"((?:\b|_)(step|iter|batch|loss|train|tpu|mpi|model|worker|dataset|accuracy|task|node|slurm|jax|xla|ddp|ray)"
      R"(|token|sample|lr|ppl)(?:s|es|ed|ation|ations)?(?:\b|_|\d))");
  if (clear.found_in(text)) return true;
  constexpr std::size_t kEnough = 2;
  std::set<std::string> words;
  for (auto word = common.find(text, 0); word && words.size() < kEnough;
       word = common.find(text, word->whole.end))
    words.insert(in_small_letters(text.substr(word->chosen.begin, word->chosen.end - word->chosen.begin)));
  return words.size() >= kEnough;
}

// In what a log begins and ends with.
bool speaks_of_training(const readers::LogFile& log) {
  constexpr std::size_t kEnd = std::size_t{64} << 10;
  const std::string_view text = log.bytes.view();
  const std::size_t size = std::min(text.size(), kEnd);
  return speaks_of_training(text.substr(0, size)) || speaks_of_training(text.substr(text.size() - size));
}

bool shows_a_job(const logs::LogVerdict& found, const std::vector<readers::LogFile>& logs) {
  const model::JobSummary& job = found.job;
  return found.stage != logs::Stage::kUnknown || !job.framework.empty() || !job.backend.empty() ||
         job.world_size || !job.ranks_seen.empty() ||
         std::ranges::any_of(logs, [](const readers::LogFile& log) { return speaks_of_training(log); });
}

// Any text resembles something. Of one that speaks of no training, less than this is no reason to speak up:
// case.diagnose.a_table_of_services_is_no_training_job.
constexpr double kMinGuessWithoutAJob = 0.4;

bool are_faint_guesses(const std::vector<model::Finding>& findings) {
  return std::ranges::all_of(findings, [](const model::Finding& finding) {
    return finding.code.is(model::CodeFamily::kLeaf) && finding.confidence < kMinGuessWithoutAJob;
  });
}

std::uint64_t lines_in(const std::vector<readers::LogFile>& logs) {
  std::uint64_t lines = 0;
  for (const readers::LogFile& log : logs) {
    const std::string_view text = log.bytes.view();
    lines += base::count_lines(text) + (text.empty() || text.ends_with('\n') ? 0 : 1);
  }
  return lines;
}

struct NothingKnown {
  Error why;
};
using Examined = std::variant<Examination, NothingKnown>;

// Which other kind of fault the logs could tell of, and what decided.
std::optional<model::Decision> judgement_in(const logs::LogVerdict& found) {
  if (found.findings.empty()) return std::nullopt;
  const model::Finding& first = found.findings.front();
  const bool is_likeliest = first.leaf == found.opinion.best;
  return model::Decision{
      .rule = "learned_from_logs",
      .finding = first.code,
      .outcome = model::Outcome::kOrderedBefore,
      .other = model::guess_at(is_likeliest ? found.opinion.runner_up : found.opinion.best),
      .reason = logs::reasons_in_words(found.opinion)};
}

Result<Examined> examine_what_is_known(const std::vector<fs::path>& paths,
                                       std::vector<model::Finding> seen_live,
                                       const readers::ReadOptions& options,
                                       const logs::OnScanned& on_scanned) {
  TRY(check_paths(paths));
  LogJudge log_judge(on_scanned);
  readers::ReadOptions read_options = options;
  log_judge.look_along(read_options);
  readers::ReadResult read = readers::read_all(paths, read_options);
  const bool has_logs_alone = read.parts.empty();
  if (has_logs_alone && read.logs.empty() && read.empty_files.empty())
    return Examined(NothingKnown{nothing_known(read)});
  if (seen_live.empty() && nothing_could_be_read(read)) return nothing_readable(read);
  const std::optional<model::Finding> world_size_one = ranks::find_world_size_one(read.parts);
  Job job = model::merge(std::move(read.parts));
  Story story = story_of(job, std::move(seen_live), log_judge);
  story.world_size_one = world_size_one;
  story.limits_of_ranks = limits_of(read, job);
  logs::LogVerdict found = TRY(log_judge.judge(read.logs));
  const bool shows_job = shows_a_job(found, read.logs);
  if (!shows_job && are_faint_guesses(found.findings)) found.findings.clear();
  add_known_fixes(found.findings);
  for (const readers::LogFile& log : read.logs) {
    if (log.bytes.has_shrunk()) found.limits.push_back(fmt::format("{}: {}", log.name, readers::kHasShrunk));
  }
  if (auto judgement = judgement_in(found)) story.decisions.push_back(*std::move(judgement));
  const bool logs_are_clear = is_clear(found.findings);
  story.logs = claims_of_logs(std::move(found.findings));
  story.limits_of_logs = std::move(found.limits);
  story.collect_next = std::move(found.collect_next);
  if (has_logs_alone && !logs_are_clear) TRY(look_at_processes(read, log_judge, found.stage, story));
  const bool is_empty = read.logs.empty() && story.logs.empty() && !story.silence;
  if (has_logs_alone && is_empty) return Examined(NothingKnown{nothing_known(read)});
  const bool is_calm = story.logs.empty() && !story.silence;
  const bool has_no_job = has_logs_alone && is_calm && !read.logs.empty() && !shows_job;
  Arbitration arbitration = arbitrate(std::move(story));
  Diagnosis diagnosis;
  if (has_no_job) diagnosis.lines_without_a_job = lines_in(read.logs);
  diagnosis.verdict.job = what_either_knows(summary_of(job), found.job);
  diagnosis.verdict.findings = std::move(arbitration.findings);
  diagnosis.verdict.limits = std::move(arbitration.limits);
  drop_fixes_that_cannot_apply(diagnosis.verdict);
  fill_in_own_command(paths, diagnosis.verdict);
  diagnosis.decisions = std::move(arbitration.decisions);
  for (const model::Host& host : job.hosts) diagnosis.host_names.push_back(host.name);
  return Examined(
      Examination{.diagnosis = std::move(diagnosis), .job = std::move(job), .logs = std::move(read.logs)});
}

}  // namespace

Result<Diagnosis> diagnose_with_hosts(const std::vector<fs::path>& paths, const readers::ReadOptions& options,
                                      const logs::OnScanned& on_scanned) {
  return diagnose_watched(paths, {}, options, on_scanned);
}

Result<Diagnosis> diagnose_watched(const std::vector<fs::path>& paths, std::vector<model::Finding> seen_live,
                                   const readers::ReadOptions& options, const logs::OnScanned& on_scanned) {
  return TRY(examine(paths, std::move(seen_live), options, on_scanned)).diagnosis;
}

Result<Examination> examine(const std::vector<fs::path>& paths, std::vector<model::Finding> seen_live,
                            const readers::ReadOptions& options, const logs::OnScanned& on_scanned) {
  Examined examined = TRY(examine_what_is_known(paths, std::move(seen_live), options, on_scanned));
  if (auto* const nothing = std::get_if<NothingKnown>(&examined)) return std::move(nothing->why);
  return std::get<Examination>(std::move(examined));
}

Result<std::optional<Diagnosis>> diagnose_what_was_left(const std::vector<fs::path>& paths,
                                                        std::vector<model::Finding> seen_live) {
  Examined examined = TRY(examine_what_is_known(paths, std::move(seen_live), {}, {}));
  if (std::holds_alternative<NothingKnown>(examined)) return std::optional<Diagnosis>();
  return std::optional(std::get<Examination>(std::move(examined)).diagnosis);
}

model::JobSummary what_either_knows(model::JobSummary from_ranks, const model::JobSummary& from_logs) {
  model::JobSummary summary = std::move(from_ranks);
  if (summary.framework.empty()) summary.framework = from_logs.framework;
  if (summary.backend.empty()) summary.backend = from_logs.backend;
  if (!summary.world_size) summary.world_size = from_logs.world_size;
  if (!summary.hosts) summary.hosts = from_logs.hosts;
  std::vector<int>& seen = summary.ranks_seen;
  std::ranges::copy(from_logs.ranks_seen, std::back_inserter(seen));
  std::ranges::sort(seen);
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  return summary;
}

Result<Verdict> diagnose(const std::vector<fs::path>& paths, const readers::ReadOptions& options,
                         const logs::OnScanned& on_scanned) {
  return TRY(diagnose_with_hosts(paths, options, on_scanned)).verdict;
}

}  // namespace lockstep::diagnose
