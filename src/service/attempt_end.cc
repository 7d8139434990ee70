#include "service/attempt_end.h"

#include <algorithm>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "report/findings_json.h"
#include "report/phrases.h"
#include "service/engine/attempt_supervisor.h"
#include "service/engine/nodes/node_place.h"
#include "service/engine/plan.h"
#include "service/engine/plan_check.h"
#include "service/growth.h"
#include "service/retry/retry_policy.h"
#include "service/silence.h"

namespace lockstep::service {
namespace {

// The exit status of an attempt of which nobody knows how it ended. Held by AttemptEndTest.OfALostSupervisor.
constexpr int kSupervisorWasKilled = 2;

void take_end(Attempt& attempt, const AttemptEnd& end) {
  attempt.state = end.succeeded ? JobState::kSucceeded : JobState::kFailed;
  attempt.exit_status = end.exit_status;
  attempt.reason = end.reason;
  attempt.findings = end.findings;
  attempt.ended_ms = end.ended_ms;
}

// A rank that saves when it is told to end may end well.
bool was_told_to_end(const Attempt& attempt) {
  return attempt.state == JobState::kFailed ||
         std::ranges::any_of(attempt.ranks, [](const RankEnd& rank) { return rank.was_asked; });
}

// Of one that failed: whether there is another one, and what it does otherwise.
Result<Decision> decide(const AttemptFolder& folder, const Job& job, const Attempt& attempt) {
  FailedAttempt failed{job, attempt, {}, {}, 0, TRY(read_set_up_repair(folder))};
  for (RankEnd& rank : TRY(read_ranks(folder, attempt.workers))) {
    if (rank.ended_ms == 0) failed.silent.push_back(std::move(rank));
  }
  if (auto verdict = report::findings_from_json(attempt.findings, "findings"); verdict.ok())
    failed.findings = std::move(verdict.value().findings);
  if (!job.spec.checkpoint_directory.empty())
    failed.newest_checkpoint_ms = newest_in(job.spec.checkpoint_directory);
  return service::decide(failed);
}

// What happened, as the finding calls it, where the end itself only says that something did.
std::string headline_of(const Attempt& attempt) {
  const EndKind kind = attempt.reason.kind;
  const bool says_little = kind == EndKind::kRankFailed || kind == EndKind::kExitStatus ||
                           kind == EndKind::kHung || kind == EndKind::kUnknown;
  if (!says_little) return attempt.reason.text;
  const auto verdict = report::findings_from_json(attempt.findings, "findings");
  const model::Finding* cause = verdict.ok() ? cause_among(verdict.value().findings) : nullptr;
  if (cause == nullptr || cause->title.empty()) return attempt.reason.text;
  const bool is_known = catalogue::remedy_for(cause->code) != catalogue::Remedy::kUnknown;
  return is_known ? cause->title : attempt.reason.text;
}

// The headline, and how the attempt ended where that is something else.
std::string in_detail(const Job& job, const Attempt& attempt) {
  if (job.reason == attempt.reason.text) return job.reason;
  return fmt::format("{} ({})", job.reason, attempt.reason.text);
}

std::string_view event_of(JobState state) {
  if (state == JobState::kSucceeded) return "succeeded";
  return state == JobState::kCancelled ? "cancelled" : "failed";
}

std::int64_t last_end(const std::vector<RankEnd>& ranks) {
  std::int64_t last = 0;
  for (const RankEnd& rank : ranks) last = std::max(last, rank.ended_ms);
  return last;
}

// Names the disk that did not take everything.
std::string with_losses(std::string detail, const std::vector<RankEnd>& ranks) {
  std::vector<int> affected;
  std::string why;
  for (const RankEnd& rank : ranks) {
    if (rank.output_lost.empty()) continue;
    affected.push_back(rank.rank);
    why = rank.output_lost;
  }
  if (affected.empty()) return detail;
  return fmt::format("{}{}output of {} is incomplete: {}", detail, detail.empty() ? "" : "; ",
                     report::describe_ranks(affected), why);
}

Sequel be_over(Job& job, const Attempt& attempt, std::string detail) {
  job.state = attempt.state;
  job.ended_ms = attempt.ended_ms;
  return {false, std::string(event_of(job.state)), std::move(detail)};
}

Sequel try_again(const Decision& decision, Job& job, const Attempt& attempt) {
  job.state = JobState::kQueued;
  job.per_worker.memory_bytes = decision.memory_bytes;
  return {true, "failed, to be retried", fmt::format("{}; {}", in_detail(job, attempt), decision.why)};
}

// Nothing failed, so nothing counts against the job.
Sequel go_on_grown(const Growth& growth, Job& job, Attempt& attempt) {
  attempt.state = JobState::kCancelled;
  attempt.reason = EndReason::to_grow(in_words(growth));
  job.state = JobState::kQueued;
  std::erase_if(job.repairs.excluded_nodes, [&](const std::string& node) {
    return std::ranges::find(growth.returned, node) != growth.returned.end();
  });
  return {true, "ended, to grow", attempt.reason.text};
}

}  // namespace

Result<void> read_end(const AttemptFolder& folder, const Job& job, Attempt& attempt, std::int64_t now_ms) {
  std::vector<RankEnd> ranks = TRY(read_rank_ends(folder, attempt.workers));
  const std::optional<AttemptEnd> end = TRY(read_attempt_end(folder));
  const std::optional<Silence> silence = TRY(read_silence(folder));
  attempt.check = read_check(folder);
  if (job.engine != EngineKind::kLocal) attempt.node_names = names_told(folder, attempt.nodes);
  attempt.ranks = std::move(ranks);
  attempt.first_failed_rank = first_failed(attempt.ranks);
  if (end && end->ended_ms != 0) {
    take_end(attempt, *end);
  } else if (all_ended_well(attempt.ranks, attempt.workers)) {
    take_end(attempt, {.succeeded = true, .ended_ms = last_end(attempt.ranks)});
  } else {
    attempt.state = JobState::kFailed;
    attempt.exit_status = kSupervisorWasKilled;
    attempt.reason = end ? end->reason : EndReason::supervisor_lost();
    attempt.ended_ms = now_ms;
  }
  if (silence && attempt.state == JobState::kFailed) {
    attempt.reason = reason_of(*silence);
    attempt.findings = findings_of(*silence, attempt.workers);
  }
  if (job.cancel_asked && was_told_to_end(attempt)) {
    attempt.state = JobState::kCancelled;
    attempt.reason = EndReason::cancelled();
  }
  return {};
}

Result<Sequel> conclude(const AttemptFolder& folder, Job& job, Attempt& attempt) {
  const auto growth = TRY(read_growth(folder));
  if (growth && attempt.state != JobState::kCancelled && was_told_to_end(attempt))
    return go_on_grown(*growth, job, attempt);
  job.reason = attempt.state == JobState::kFailed ? headline_of(attempt) : attempt.reason.text;
  if (attempt.state != JobState::kFailed)
    return be_over(job, attempt, with_losses(attempt.reason.text, attempt.ranks));
  const Decision decision = TRY(decide(folder, job, attempt));
  job.repairs = decision.repairs;
  Sequel sequel =
      decision.is_retried
          ? try_again(decision, job, attempt)
          : be_over(job, attempt, fmt::format("{}; not retried: {}", in_detail(job, attempt), decision.why));
  sequel.detail = with_losses(std::move(sequel.detail), attempt.ranks);
  return sequel;
}

Sequel conclude_not_started(const Error& error, Job& job, Attempt& attempt, std::int64_t now_ms) {
  attempt.state = job.cancel_asked ? JobState::kCancelled : JobState::kFailed;
  attempt.reason = job.cancel_asked ? EndReason::cancelled() : EndReason::not_started(error);
  attempt.ended_ms = now_ms;
  job.reason = attempt.reason.text;
  return be_over(job, attempt, job.reason);
}

}  // namespace lockstep::service
