// The same event as the ranks' records show it and as a log tells it.
#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "diagnose/arbitrate/rules.h"
#include "diagnose/arbitrate/weigh.h"
#include "model/finding_code.h"

namespace lockstep::diagnose {
namespace {

using model::Finding;
using model::Leaf;
using model::Outcome;

constexpr std::size_t kMaxLinesHandedOver = 2;  // of a complaint that may repeat for hours

Finding* first_dead_rank(Story& story) {
  const auto lost = std::ranges::find_if(
      story.ranks, [](const Claim& claim) { return claim.finding.code == model::codes::kDeadRank; });
  return lost == story.ranks.end() ? nullptr : &lost->finding;
}

void take_ranks_of(const Finding& source, Finding& finding, Story& story) {
  finding.root_ranks = source.root_ranks;
  finding.victim_ranks = source.victim_ranks;
  story.note(Outcome::kRanksNamed, finding.code, source.code);
}

void hand_over_first_lines(Finding& complaint, Finding& proof) {
  complaint.evidence.resize(std::min(complaint.evidence.size(), kMaxLinesHandedOver));
  std::ranges::move(complaint.evidence, std::back_inserter(proof.evidence));
}

bool only_says_it_was_killed(const Finding& printed) {
  return printed.code == model::codes::kKilled && printed.root_ranks.size() <= 1;
}

// Communication that a lost rank itself could not do, as a name that it used twice, is its own error and no
// complaint about others.
bool is_error_of_a_lost_rank(const Finding& printed, const std::vector<Claim>& ranks) {
  const auto lost =
      std::ranges::find_if(ranks, [](const Claim& claim) { return is_a_lost_rank(claim.finding); });
  return lost != ranks.end() && lost->finding.root_ranks.size() == 1 &&
         printed.root_ranks == lost->finding.root_ranks && printed.confidence >= kSure &&
         (printed.leaf == Leaf::kRunComm || printed.leaf == Leaf::kPrepComm);
}

}  // namespace

void apply_told_twice(Story& story) {
  std::erase_if(story.logs, [&](Claim& printed) {
    const auto same = std::ranges::find_if(story.ranks, [&](const Claim& shown) {
      return shown.finding.code == printed.finding.code &&
             shown.finding.root_ranks == printed.finding.root_ranks;
    });
    if (same == story.ranks.end()) return false;
    hand_over_first_lines(printed.finding, same->finding);
    story.note(Outcome::kFoldedInto, printed.finding.code, same->finding.code);
    return true;
  });
}

void apply_crash_of_lost_rank(Story& story) {
  const Finding* lost = first_dead_rank(story);
  if (lost == nullptr || lost->root_ranks.size() != 1) return;
  for (Claim& claim : story.logs) {
    Finding& printed = claim.finding;
    if (printed.leaf != Leaf::kRunSegv || !is_printed(printed) || !names_no_rank(printed)) continue;
    take_ranks_of(*lost, printed, story);
  }
}

// Whoever watches processes sees several gone at a time, where the launcher ends the rest at once.
void apply_launchers_word(Story& story) {
  Finding* lost = first_dead_rank(story);
  if (lost == nullptr) return;
  for (const Claim& claim : story.logs) {
    const Finding& killed = claim.finding;
    const bool names_another = killed.root_ranks.size() == 1 && killed.root_ranks != lost->root_ranks;
    if (!only_says_it_was_killed(killed) || !names_another) continue;
    take_ranks_of(killed, *lost, story);
    lost->title = fmt::format("Rank {} was killed first, by the launcher's word", lost->root_ranks.front());
    lost->explanation =
        "The launcher saw this rank end by a signal, and ended the others, whose processes are gone too.";
  }
}

void apply_killed_process(Story& story) {
  Finding* lost = first_dead_rank(story);
  if (lost == nullptr) return;
  std::erase_if(story.logs, [&](Claim& printed) {
    if (!only_says_it_was_killed(printed.finding)) return false;
    std::ranges::move(printed.finding.evidence, std::back_inserter(lost->evidence));
    story.note(Outcome::kFoldedInto, printed.finding.code, lost->code);
    return true;
  });
}

void apply_printed_cause(Story& story) {
  const auto cause = std::ranges::find_if(
      story.logs, [&](const Claim& claim) { return is_sure(claim.finding, story.ranks); });
  if (cause != story.logs.end()) story.printed_cause = cause->finding.code;
}

void apply_complaint_about_waiting(Story& story) {
  Finding* proof = proof_of_waiting(story.ranks);
  if (proof == nullptr) return;
  std::erase_if(story.logs, [&](Claim& claim) {
    Finding& printed = claim.finding;
    if (!is_about_waiting(printed) || is_error_of_a_lost_rank(printed, story.ranks)) return false;
    hand_over_first_lines(printed, *proof);
    story.note(Outcome::kFoldedInto, printed.code, proof->code);
    return true;
  });
}

void apply_rank_of_the_failure(Story& story) {
  if (!story.printed_cause || story.logs.empty()) return;
  const auto ended = std::ranges::find_if(story.ranks, [](const Claim& claim) {
    return is_a_lost_rank(claim.finding) ||
           (only_tells_how_a_process_ended(claim.finding) && claim.finding.victim_ranks.empty());
  });
  if (ended == story.ranks.end() || ended->finding.root_ranks.size() != 1) return;
  Finding& printed = story.logs.front().finding;
  if (names_no_rank(printed)) take_ranks_of(ended->finding, printed, story);
}

void apply_exit_status(Story& story) {
  if (!story.printed_cause) return;
  std::erase_if(story.ranks, [&](const Claim& claim) {
    if (!only_tells_how_a_process_ended(claim.finding)) return false;
    story.note(Outcome::kDropped, claim.finding.code, *story.printed_cause);
    return true;
  });
}

}  // namespace lockstep::diagnose
