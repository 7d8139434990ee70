#include "run/watch/live_judge.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "diagnose/ranks/analyse.h"
#include "model/finding_code.h"
#include "model/merge.h"
#include "readers/lockstep/recording.h"
#include "readers/read_all.h"
#include "run/watch/thresholds.h"

namespace lockstep::watch {

namespace {

model::Liveness liveness_of(const LiveRank& rank, std::int64_t now_ns) {
  if (rank.is_gone()) return model::Liveness::kDead;
  if (now_ns - rank.last_word_ns() < kQuietNs) return model::Liveness::kUnknown;
  const auto sample = rank.process().sample();
  if (!sample) return model::Liveness::kUnknown;
  return sample->state == 'T' || sample->state == 't' ? model::Liveness::kStopped : model::Liveness::kAlive;
}

// Of thousands of ranks the last of each are enough; what is unfinished counts however old it is.
void keep_newest(model::RankHistory& history, std::size_t most) {
  if (history.events.size() <= most) return;
  const auto newest = history.events.end() - static_cast<std::ptrdiff_t>(most);
  const auto finished = std::stable_partition(history.events.begin(), newest, model::is_unfinished);
  history.events.erase(finished, newest);
  history.begins_at_start = false;
}

// To the clock of this host.
void shift(model::RankHistory& history, std::int64_t by_ns) {
  for (model::Event& event : history.events) {
    if (event.begin_ns != model::kNoTime) event.begin_ns += by_ns;
    if (event.end_ns != model::kNoTime) event.end_ns += by_ns;
  }
}

void settle(model::RankHistory& history, std::int64_t before_ns) {
  for (model::Event& event : history.events) {
    if (model::is_unfinished(event) && event.kind != model::EventKind::kActivity &&
        event.begin_ns > before_ns) {
      event.state = model::EventState::kUntracked;
    }
  }
}

}  // namespace

EvidenceShare share_of_each(std::size_t ranks) {
  ranks = std::max<std::size_t>(ranks, 1);
  return {.bytes = std::min(kMaxEvidenceBytes / ranks, kMaxEvidenceBytesOfARank),
          .events = std::max(kMaxEvidenceEvents / ranks, kMinEvidenceEventsOfARank)};
}

model::Job evidence_of(const LiveJob& live, std::int64_t settled_ns) {
  const std::vector<const LiveRank*> ranks = live.ranks();
  const EvidenceShare share = share_of_each(ranks.size());
  std::vector<model::Job> parts;
  for (const LiveRank* rank : ranks) {
    model::Job part = readers::read_record_bytes(rank->path().filename().string(), rank->path(),
                                                 [&] { return rank->follower().tail(share.bytes); });
    for (model::RankHistory& history : part.ranks) {
      keep_newest(history, share.events);
      if (const std::int64_t lead_ns = rank->process().clock_lead_ns(); lead_ns != 0) shift(history, lead_ns);
      history.rank.liveness = liveness_of(*rank, live.now_ns());
      if (!rank->is_gone()) settle(history, live.now_ns() - settled_ns);
    }
    parts.push_back(std::move(part));
  }
  std::error_code ignored;
  if (const auto stacks = live.folder() / "stacks"; std::filesystem::exists(stacks, ignored)) {
    std::ranges::move(readers::read_all({stacks}).parts, std::back_inserter(parts));
  }
  return model::merge(std::move(parts));
}

namespace {

using model::Finding;

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
  return finding.code.is(model::CodeFamily::kMismatch) ||
         finding.code == model::codes::kSetupCommunicatorNotMade ||
         finding.code == model::codes::kSetupRanksDisagree;
}

bool is_decided(const LiveJob& job, const model::Job& evidence, const Finding& finding) {
  if (is_mismatch(finding)) return true;
  if (finding.root_ranks.empty()) return false;
  if (!is_about_waiting(finding)) return false;
  if (std::ranges::all_of(finding.root_ranks, [&](int rank) { return is_lost(evidence, rank); })) return true;
  return finding.code.is(model::CodeFamily::kDeadlock) &&
         std::ranges::all_of(finding.root_ranks, [&](int rank) { return is_blocked(job, rank); });
}

bool is_about_a_hang(const Finding& finding) {
  return finding.code.is_wait() || finding.code.is(model::CodeFamily::kMismatch) ||
         finding.code.is(model::CodeFamily::kSetup);
}

}  // namespace

bool is_about_waiting(const Finding& finding) {
  return finding.code.is_wait();
}

bool is_likely(const Finding& finding) {
  return finding.confidence >= kMinConfidence;
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
  std::erase_if(findings,
                [](const Finding& finding) { return !is_about_a_hang(finding) || !is_likely(finding); });
  return findings;
}

std::vector<Finding> slow_or_diverged(const LiveJob& job) {
  constexpr std::int64_t kAnyAgeNs = std::int64_t{1} << 60;  // nobody counts as waiting
  std::vector<Finding> findings = ranks::analyse(evidence_of(job, kAnyAgeNs));
  std::erase_if(findings, [](const Finding& finding) {
    const bool is_kind =
        finding.code.is(model::CodeFamily::kStraggler) || finding.code.is(model::CodeFamily::kDivergence);
    return !is_kind || !is_likely(finding);
  });
  return findings;
}

}  // namespace lockstep::watch
