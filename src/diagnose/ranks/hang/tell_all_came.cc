// A collective that everyone came to and that does not end: the program did its part.
#include <algorithm>

#include <fmt/format.h>

#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/failed_ranks.h"
#include "diagnose/ranks/hang/hang_story.h"
#include "diagnose/ranks/signature.h"
#include "diagnose/ranks/whereabouts.h"

namespace lockstep::ranks {
namespace {

void tell_stuck_on_some(HangStory& story, const std::string& who) {
  story.finding.title = fmt::format("{} did not finish on {}", story.call(), who);
  story.finding.explanation =
      fmt::format("{} finished it; on {} it is not finished{}: the kernel or the transport is stuck there. ",
                  ranks_in_words(story.wait.finished), who, story.since());
  story.finding.confidence = 0.8;
}

bool has_an_unknown_root(const HangStory& story) {
  const Signature signature = signature_of(story.job, event_at(story.job, story.wait.waiting.front()));
  switch (signature.operation) {
    case model::Operation::kBroadcast:
    case model::Operation::kReduce:
    case model::Operation::kGather:
    case model::Operation::kScatter:
      return signature.root < 0;
    default:
      return false;
  }
}

void tell_stuck_on_all(HangStory& story, const std::string& who) {
  story.finding.title = fmt::format("all ranks came to {} and none finished it", story.call());
  story.finding.explanation = fmt::format(
      "{} are in it{} and call the same thing: the program did its part, so the kernel, the transport or a "
      "device is stuck. ",
      who, story.since());
  story.finding.confidence = 0.7;
  if (has_an_unknown_root(story)) {
    story.finding.explanation +=
        "Which root each rank named is not recorded: check that they all name the same one. ";
  }
}

void tell_not_enough_known(HangStory& story, const std::string& who) {
  story.finding.title = fmt::format("{} wait in {}", who, story.call());
  story.finding.explanation = fmt::format(
      "{} wait in it{}. The evidence of {} does not reach back far enough to tell whether they came. ", who,
      story.since(), ranks_in_words(story.wait.unknown));
  story.finding.confidence = 0.4;
}

bool ended_because_of_others(const HangStory& story, int rank) {
  const model::RankHistory* history = story.job.find_rank(rank);
  return history != nullptr && was_let_down(*history);
}

bool is_lost(const HangStory& story, int rank) {
  const Place place = whereabouts_of(story.job, rank).place;
  return place == Place::kDead || place == Place::kStopped;
}

// A rank that died or was stopped in it, or before it waited for what it had posted, is what the others in it
// wait for. Those who ended because their call was given up are not meant where another ended by itself.
std::vector<int> lost_inside(const HangStory& story) {
  const auto is_let_down = [&](int rank) { return ended_because_of_others(story, rank); };
  const auto lost_of = [&](std::vector<int> ranks) {
    std::erase_if(ranks, [&](int rank) { return !is_lost(story, rank); });
    return ranks;
  };
  const auto by_themselves = [&](std::vector<int> ranks) {
    std::erase_if(ranks, is_let_down);
    return ranks;
  };
  const std::vector<int> waiting = lost_of(story.waiting_ranks());
  if (std::vector<int> first = by_themselves(waiting); !first.empty()) return first;
  std::vector<int> others = by_themselves(lost_of(story.wait.finished));
  return others.empty() ? waiting : others;
}

void tell_lost_inside(HangStory& story, std::vector<int> lost) {
  model::Finding& finding = story.finding;
  const Whereabouts known = whereabouts_of(story.job, lost.front());
  const bool is_stopped = known.place == Place::kStopped;
  finding.code = is_stopped ? "desync.stopped_rank" : "desync.dead_rank";
  finding.title = fmt::format("{} {} inside {}", ranks_in_words(lost), is_stopped ? "stands still" : "died",
                              story.call());
  finding.explanation = fmt::format(
      "All ranks came to it; of rank {} is known: {}. The others cannot {} without {}. ", lost.front(),
      known.words, story.wait.finished.empty() ? "finish it" : "go on", lost.size() == 1 ? "it" : "them");
  finding.confidence = 0.95;
  finding.victim_ranks = story.waiting_ranks();
  finding.victim_ranks.insert(finding.victim_ranks.end(), story.wait.finished.begin(),
                              story.wait.finished.end());
  std::ranges::sort(finding.victim_ranks);
  std::erase_if(finding.victim_ranks, [&](int rank) { return std::ranges::binary_search(lost, rank); });
  finding.root_ranks = std::move(lost);
}

}  // namespace

void tell_all_came(HangStory& story) {
  const std::string who = ranks_in_words(story.waiting_ranks());
  story.finding.code = "desync.stuck_in_collective";
  std::vector<int> lost = lost_inside(story);
  const bool has_others = lost.size() < story.waiting_ranks().size() || !story.wait.finished.empty();
  const bool explains_it = !lost.empty() && has_others;
  if (explains_it) {
    tell_lost_inside(story, std::move(lost));
  } else if (!story.wait.unknown.empty()) {
    tell_not_enough_known(story, who);
  } else if (!story.wait.finished.empty()) {
    tell_stuck_on_some(story, who);
  } else {
    tell_stuck_on_all(story, who);
  }
  story.add_waiting_evidence();
}

}  // namespace lockstep::ranks
