#include "service/attempt_end.h"

#include <algorithm>

#include "report/findings_json.h"
#include "service/engine/attempt_supervisor.h"
#include "service/engine/nodes/node_place.h"
#include "service/engine/plan.h"
#include "service/engine/plan_check.h"
#include "service/growth.h"
#include "service/job/job_id.h"
#include "service/silence.h"

namespace lockstep::service {
namespace {

constexpr int kSupervisorWasKilled = 2;

std::vector<std::string> node_names(const AttemptFolder& folder, int nodes) {
  std::vector<std::string> names;
  for (NodePlace& place : places_told(folder, nodes)) names.push_back(std::move(place.name));
  return names;
}

void take_end(Attempt& attempt, const AttemptEnd& end) {
  attempt.state = end.succeeded ? JobState::kSucceeded : JobState::kFailed;
  attempt.exit_status = end.exit_status;
  attempt.reason = end.reason;
  attempt.findings = end.findings;
  attempt.ended_ms = end.ended_ms;
}

}  // namespace

void read_end(const AttemptFolder& folder, const Job& job, Attempt& attempt) {
  attempt.check = read_check(folder);
  if (job.engine != EngineKind::kLocal) attempt.node_names = node_names(folder, attempt.nodes);
  attempt.ranks = read_rank_ends(folder, attempt.workers);
  attempt.first_failed_rank = first_failed(attempt.ranks);
  if (const auto end = read_attempt_end(folder)) {
    take_end(attempt, *end);
  } else {
    attempt.state = JobState::kFailed;
    attempt.exit_status = kSupervisorWasKilled;
    attempt.reason = EndReason::supervisor_lost();
    attempt.ended_ms = now_in_ms();
  }
  if (const auto silence = read_silence(folder); silence && attempt.state == JobState::kFailed) {
    attempt.reason = reason_of(*silence);
    attempt.findings = findings_of(*silence, attempt.workers);
  }
  if (job.cancel_asked && was_told_to_end(attempt)) {
    attempt.state = JobState::kCancelled;
    attempt.reason = EndReason::cancelled();
  }
}

bool was_told_to_end(const Attempt& attempt) {
  return attempt.state == JobState::kFailed ||
         std::ranges::any_of(attempt.ranks, [](const RankEnd& rank) { return rank.was_asked; });
}

Decision decide(const AttemptFolder& folder, const Job& job, const Attempt& attempt) {
  FailedAttempt failed{job, attempt, {}, {}, 0, read_set_up_repair(folder)};
  for (RankEnd& rank : read_ranks(folder, attempt.workers)) {
    if (rank.ended_ms == 0) failed.silent.push_back(std::move(rank));
  }
  if (auto verdict = report::decode_findings(attempt.findings, "findings"); verdict.ok())
    failed.findings = std::move(verdict.value().findings);
  if (!job.spec.checkpoint_directory.empty())
    failed.newest_checkpoint_ms = newest_in(job.spec.checkpoint_directory);
  return decide(failed);
}

}  // namespace lockstep::service
