// What comes before what in the verdict.
#include <algorithm>

#include "diagnose/arbitrate/rules.h"
#include "diagnose/arbitrate/weigh.h"
#include "model/finding_code.h"

namespace lockstep::diagnose {
namespace {

using model::Finding;
using model::Leaf;

// It left no record at all, as one that fails before its framework is there.
bool is_an_unseen_rank(const Finding& finding) {
  return finding.code == model::codes::kMissingEvidence || finding.code == model::codes::kSetupRankNotStarted;
}

// A launcher's summary: the signal or status of a rank, not its reason.
bool tells_how_a_rank_ended(const Finding& finding) {
  return only_tells_how_a_process_ended(finding) && !finding.root_ranks.empty();
}

// Where all ranks print the same, the lost ones do too.
bool is_printed_by(const std::vector<int>& ranks, const Finding& printed) {
  return !ranks.empty() && std::ranges::all_of(ranks, [&](int rank) {
    return std::ranges::any_of(printed.evidence,
                               [&](const model::Evidence& one) { return one.rank == rank; });
  });
}

bool explains_a_loss(const Finding& printed, const std::vector<Claim>& ranks) {
  if (printed.code.is_echo() || !is_printed(printed) || is_about_waiting(printed)) return false;
  const auto lost = std::ranges::find_if(ranks, [&](const Claim& claim) {
    return is_a_lost_rank(claim.finding) || tells_how_a_rank_ended(claim.finding) ||
           (is_an_unseen_rank(claim.finding) && model::is_fatal(printed.leaf));
  });
  if (lost == ranks.end()) return false;
  if (!printed.root_ranks.empty()) return printed.root_ranks == lost->finding.root_ranks;
  if (!model::is_fatal(printed.leaf)) return false;
  return is_printed_by(lost->finding.root_ranks, printed) ||
         (names_no_rank(printed) && printed.confidence >= kLikelyReason);
}

// The output of a job that was recorded names no ranks: one process's error and one rank that was lost are
// one event.
void name_the_lost_rank(Story& story, Finding& printed) {
  const auto lost = std::ranges::find_if(story.ranks, [](const Claim& claim) {
    return is_a_lost_rank(claim.finding) || is_an_unseen_rank(claim.finding);
  });
  if (lost == story.ranks.end() || lost->finding.root_ranks.size() != 1) return;
  printed.root_ranks = lost->finding.root_ranks;
  printed.victim_ranks = lost->finding.victim_ranks;
  story.note(model::Outcome::kRanksNamed, printed.code, lost->finding.code);
}

// Ranks that bring buffers of different sizes write past the smaller one, TensorFlow calls the graph broken
// in which a collective failed, and a framework that notices the misfit cannot say whose call is the odd one.
bool may_follow_from(const Finding& misfit, const Finding& printed) {
  if (printed.leaf == Leaf::kRunSegv || printed.leaf == Leaf::kRunGraph) return true;
  const bool is_about_calls = printed.leaf == misfit.leaf || printed.leaf == Leaf::kRunTensor;
  return is_about_calls && printed.root_ranks.empty() && misfit.confidence >= kNamesTheOddOne;
}

}  // namespace

void apply_printed_error_first(Story& story) {
  const Finding* proof = proof_of_waiting(story.ranks);
  const bool is_someone_absent = proof != nullptr && proof->code == model::codes::kSetupRankNotStarted &&
                                 proof->confidence >= kSeenAndConfirmed;
  const bool were_told_otherwise = proof != nullptr && proof->code == model::codes::kSetupRanksDisagree;
  for (Claim& claim : story.logs) {
    // What ends no process did not stop this one: a warning that data comes slowly, above a proven deadlock.
    const bool is_less = proof != nullptr && !model::is_fatal(claim.finding.leaf) &&
                         claim.finding.confidence < proof->confidence;
    // Nobody could connect, because the rank that they look for is gone.
    const bool looks_for_it = is_someone_absent && claim.finding.code.is(model::CodeFamily::kSetup);
    if (were_told_otherwise || is_less || looks_for_it) continue;
    if (is_sure(claim.finding, story.ranks)) story.move_to(claim, Place::kCause);
  }
}

void apply_reason_of_a_loss(Story& story) {
  for (Claim& claim : story.logs) {
    if (!explains_a_loss(claim.finding, story.ranks)) continue;
    if (names_no_rank(claim.finding)) name_the_lost_rank(story, claim.finding);
    if (claim.place != Place::kCause) story.move_to(claim, Place::kCause);
  }
}

void apply_calls_that_do_not_fit(Story& story) {
  const auto misfit = std::ranges::find_if(story.ranks, [&](const Claim& claim) {
    return is_sure(claim.finding, story.ranks) && claim.finding.code.is(model::CodeFamily::kMismatch);
  });
  if (misfit == story.ranks.end()) return;
  for (Claim& claim : story.logs) {
    if (claim.place == Place::kCause && may_follow_from(misfit->finding, claim.finding))
      story.move_to(claim, Place::kDoubtful);
  }
}

void apply_bare_exit_status(Story& story) {
  for (Claim& claim : story.ranks) {
    if (claim.finding.code == model::codes::kProcessEnded) story.move_to(claim, Place::kStatus);
  }
}

void apply_guesses_last(Story& story) {
  for (Claim& claim : story.logs) {
    if (claim.place == Place::kDoubtful && !is_printed(claim.finding)) story.move_to(claim, Place::kGuess);
  }
}

}  // namespace lockstep::diagnose
