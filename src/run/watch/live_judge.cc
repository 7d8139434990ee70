#include "run/watch/live_judge.h"

#include <algorithm>
#include <string_view>

#include "diagnose/ranks/analyse.h"
#include "run/watch/live_evidence.h"

namespace lockstep::watch {
namespace {

using model::Finding;

constexpr std::int64_t kSettledNs = 200'000'000;
constexpr double kLeastConfidence = 0.5;

bool is_lost(const model::Job& evidence, int rank) {
  const model::RankHistory* history = evidence.find_rank(rank);
  if (history == nullptr) return false;
  return history->rank.end != model::RankEnd::kUnknown || history->rank.liveness == model::Liveness::kDead ||
         history->rank.liveness == model::Liveness::kStopped;
}

// One who stands in a call that it does not wait for may still go on and close the circle's gap.
bool is_blocked(const LiveJob& job, int number) {
  const LiveRank* rank = job.rank(number);
  return rank != nullptr && std::ranges::any_of(rank->open_calls(), [](const LiveCall& call) {
           return call.is_awaited && !call.is_async;
         });
}

bool is_mismatch(const Finding& finding) {
  return finding.code.starts_with("mismatch.") || finding.code == "setup.communicator_not_made";
}

bool is_decided(const LiveJob& job, const model::Job& evidence, const Finding& finding) {
  if (is_mismatch(finding)) return true;
  if (finding.root_ranks.empty()) return false;
  if (!is_about_waiting(finding)) return false;
  if (std::ranges::all_of(finding.root_ranks, [&](int rank) { return is_lost(evidence, rank); })) return true;
  return finding.code.starts_with("deadlock.") &&
         std::ranges::all_of(finding.root_ranks, [&](int rank) { return is_blocked(job, rank); });
}

bool is_about_a_hang(const Finding& finding) {
  constexpr std::string_view kKinds[] = {"desync.", "deadlock.", "point_to_point.", "mismatch.", "setup."};
  return std::ranges::any_of(kKinds, [&](std::string_view kind) { return finding.code.starts_with(kind); });
}

}  // namespace

bool is_about_waiting(const Finding& finding) {
  return finding.code.starts_with("desync.") || finding.code.starts_with("deadlock.") ||
         finding.code.starts_with("point_to_point.");
}

std::vector<Finding> decided_faults(const LiveJob& job) {
  const model::Job evidence = evidence_of(job, kSettledNs);
  std::vector<Finding> findings = ranks::analyse(evidence);
  std::erase_if(findings, [&](const Finding& finding) { return !is_decided(job, evidence, finding); });
  return findings;
}

std::vector<Finding> calls_that_differ(const LiveJob& job) {
  std::vector<Finding> findings = ranks::analyse(evidence_of(job, 0));
  std::erase_if(findings, [](const Finding& finding) { return !is_mismatch(finding); });
  return findings;
}

std::vector<Finding> lost_ranks(const LiveJob& job) {
  std::vector<Finding> findings = ranks::analyse(evidence_of(job, 0));
  std::erase_if(findings, [&](const Finding& finding) {
    const auto is_gone = [&](int number) {
      const LiveRank* rank = job.rank(number);
      return rank != nullptr && rank->is_gone();
    };
    return finding.root_ranks.empty() || !std::ranges::all_of(finding.root_ranks, is_gone);
  });
  return findings;
}

std::vector<Finding> late_ranks(const LiveJob& job, std::int64_t late_ns) {
  std::vector<Finding> findings = ranks::analyse(evidence_of(job, late_ns));
  std::erase_if(findings, [](const Finding& finding) {
    return !is_about_a_hang(finding) || finding.confidence < kLeastConfidence;
  });
  return findings;
}

std::vector<Finding> slow_or_diverged(const LiveJob& job) {
  constexpr std::int64_t kAnyAgeNs = std::int64_t{1} << 60;  // nobody counts as waiting
  std::vector<Finding> findings = ranks::analyse(evidence_of(job, kAnyAgeNs));
  std::erase_if(findings, [](const Finding& finding) {
    const bool is_kind = finding.code.starts_with("straggler.") || finding.code.starts_with("divergence.");
    return !is_kind || finding.confidence < kLeastConfidence;
  });
  return findings;
}

}  // namespace lockstep::watch
