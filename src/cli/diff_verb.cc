#include <algorithm>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/text_fields.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/write_verdict.h"
#include "record/recording.h"
#include "replay/compare/call_details.h"
#include "replay/compare/compare.h"
#include "replay/compare/surroundings.h"
#include "replay/compare/verdict.h"
#include "replay/extent.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

// "RECORDING" or "RECORDING:RANK".
struct Side {
  fs::path recording;
  std::optional<int> rank;
};

Side side_from(const std::string& operand) {
  const std::size_t colon = operand.rfind(':');
  std::error_code ignored;
  if (colon == std::string::npos || fs::exists(operand, ignored)) return {operand, std::nullopt};
  const auto rank = base::number_in<std::int32_t>(operand.substr(colon + 1));
  return rank ? Side{operand.substr(0, colon), *rank} : Side{operand, std::nullopt};
}

struct Pair {
  const record::Payload* first;
  const record::Payload* second;
};

Error no_such_rank(const Side& side) {
  return {"cannot compare", side.recording.string(), fmt::format("rank {} left no payload", *side.rank),
          "name another rank, as RECORDING:RANK"};
}

Result<std::vector<Pair>> pairs_of(const Side& a, const replay::Job& first, const Side& b,
                                   const replay::Job& second) {
  if (a.rank.has_value() != b.rank.has_value()) {
    return Error{"cannot compare", "", "one side names a rank, the other does not", "name both, or none"};
  }
  std::vector<Pair> pairs;
  if (a.rank) {
    const Pair pair{replay::find_rank(first, *a.rank), replay::find_rank(second, *b.rank)};
    if (pair.first == nullptr) return no_such_rank(a);
    if (pair.second == nullptr) return no_such_rank(b);
    pairs.push_back(pair);
    return pairs;
  }
  for (const record::Payload& rank : first.ranks) {
    if (const record::Payload* other = replay::find_rank(second, rank.rank)) pairs.push_back({&rank, other});
  }
  if (pairs.empty())
    return Error{"cannot compare", b.recording.string(), "the two have no rank in common", ""};
  return pairs;
}

// Those ranks come first where it began: in an earlier step, and in what they gave before what they got.
std::pair<std::uint64_t, bool> begin_of(const replay::Comparison& comparison) {
  std::uint64_t step = std::numeric_limits<std::uint64_t>::max();
  if (comparison.first_call) step = comparison.first_call->call.step + 1;
  if (comparison.first_missing) step = std::min(step, comparison.first_missing->call.step + 1);
  if (comparison.first_state) step = std::min(step, comparison.first_state->step);
  const bool is_given_to_it = comparison.first_call && !comparison.first_call->input_differs;
  return {step, is_given_to_it};
}

fs::path record_file_of(const Side& side, const record::Payload& rank) {
  return side.recording / record::rank_file_name(rank.rank, rank.restart);
}

replay::Compared words_for(const Pair& pair, const Side& a, const Side& b,
                           const replay::Comparison& comparison) {
  replay::Compared compared{.rank = pair.first->rank, .first = "the first run", .second = "the second run"};
  if (a.rank && a.recording == b.recording) {
    compared.first = fmt::format("rank {}", *a.rank);
    compared.second = fmt::format("rank {}", *b.rank);
  }
  compared.file = record::payload_path(a.recording, pair.first->rank, pair.first->restart);
  const auto& first = comparison.first_call ? comparison.first_call : comparison.first_missing;
  if (first) {
    compared.details =
        replay::find_call_details(record_file_of(a, *pair.first), first->communicator, first->call);
  }
  if (comparison.first_call && compared.details) {
    compared.result =
        replay::differing_elements({*pair.first, a.recording}, {*pair.second, b.recording},
                                   comparison.first_call->call.key, compared.details->element_bytes);
  }
  compared.differences =
      replay::differences_between(replay::Run{*pair.first, record_file_of(a, *pair.first)},
                                  replay::Run{*pair.second, record_file_of(b, *pair.second)});
  return compared;
}

struct Compared {
  model::Verdict verdict;
  std::size_t pairs = 0;
  std::size_t calls = 0;
  std::size_t states = 0;
};

Compared compare_all(const std::vector<Pair>& pairs, const Side& a, const Side& b) {
  struct Told {
    std::pair<std::uint64_t, bool> begins;
    model::Finding finding;
  };
  const bool is_one_job = a.rank && a.recording == b.recording;
  Compared compared{.verdict = {}, .pairs = pairs.size()};
  model::Verdict& verdict = compared.verdict;
  std::vector<Told> told;
  for (const Pair& pair : pairs) {
    verdict.job.ranks_seen.push_back(pair.first->rank);
    verdict.job.world_size = pair.first->world_size;
    const replay::Comparison comparison = is_one_job ? replay::compare_ranks(*pair.first, *pair.second)
                                                     : replay::compare_runs(*pair.first, *pair.second);
    compared.calls += comparison.calls;
    compared.states += comparison.states;
    auto finding = replay::finding_from(comparison, words_for(pair, a, b, comparison));
    if (finding) told.push_back({begin_of(comparison), *std::move(finding)});
  }
  std::ranges::stable_sort(told, {}, &Told::begins);
  for (Told& one : told) verdict.findings.push_back(std::move(one.finding));
  return compared;
}

// The recording's own error speaks of a replay.
Result<replay::Job> open_side(const Side& side) {
  auto job = replay::open_job(side.recording);
  if (job.ok()) return job;
  Error error = std::move(job).error();
  error.what = "cannot compare";
  return error;
}

std::string equal_in_words(const Compared& compared, const Side& a, const Side& b) {
  const auto name = [](const Side& side) {
    return side.rank ? fmt::format("rank {} of {}", *side.rank, side.recording.string())
                     : side.recording.string();
  };
  return fmt::format(
      "No difference between {} and {}: {} calls and the state after {} steps are identical "
      "({} {} compared).",
      name(a), name(b), compared.calls, compared.states, compared.pairs,
      compared.pairs == 1 ? "pair of ranks" : "pairs of ranks");
}

Result<ExitStatus> run_diff(const Args& args, Terminal& terminal) {
  const Side a = side_from(args.operands[0]);
  const Side b = side_from(args.operands[1]);
  const replay::Job first = TRY(open_side(a));
  const replay::Job second = TRY(open_side(b));
  const std::vector<Pair> pairs = TRY(pairs_of(a, first, b, second));
  Compared compared = compare_all(pairs, a, b);
  model::Verdict& verdict = compared.verdict;
  for (const replay::Job* job : {&first, &second}) {
    verdict.limits.insert(verdict.limits.end(), job->limits.begin(), job->limits.end());
  }
  const report::Format format = args.has("json") ? report::Format::kJson : report::Format::kText;
  if (verdict.findings.empty() && verdict.limits.empty() && format == report::Format::kText) {
    TRY(terminal.write(base::escape_for_terminal(equal_in_words(compared, a, b)).append("\n")));
    return ExitStatus::kNothingFound;
  }
  return write_verdict(verdict, {.format = format}, terminal);
}

constexpr std::string_view kDiffDescription[] = {
    "Compares two recordings made with 'lockstep run --payload', rank by rank: what each call was given, "
    "what it gave "
    "back, and parameters and optimizer state after each step. For each rank that differs it names the first "
    "call or "
    "step, and how the difference grows; ranks that differ first come first. Only hashes are read.",
    "With RECORDING:RANK on both sides two single ranks are compared. Two ranks of one recording are "
    "compared in what "
    "must be the same on both: results of all-reduce, broadcast and all-gather, and state after each step.",
};

constexpr Example kDiffExamples[] = {
    {"lockstep diff monday tuesday", "Where do two runs of a job part?"},
    {"lockstep diff monday:0 monday:3", "Do ranks 0 and 3 of one run hold the same model?"},
};

}  // namespace

constinit const Verb kDiffVerb{
    .name = "diff",
    .one_line = "find the first difference between two recordings or ranks",
    .usage = "diff A B [flags]",
    .group = VerbGroup::kDeeper,
    .description = kDiffDescription,
    .examples = kDiffExamples,
    .operands = {.name = "RECORDING[:RANK]",
                 .min = 2,
                 .max = 2,
                 .help = "A recording with payload, or one rank of it",
                 .kind = ValueKind::kFolder},
    .flags = {},
    .globals = {.json = true, .color = true},
    .run = run_diff,
};

}  // namespace lockstep::cli
