// Ranks that did not come, and what they do instead.
#include <algorithm>

#include <fmt/format.h>

#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/hang/hang_story.h"
#include "diagnose/ranks/hang/restarted.h"
#include "diagnose/ranks/whereabouts.h"

namespace lockstep::ranks {
namespace {

using model::Finding;

// Of several missing ranks usually one began it: the one that died, failed or ended says the most.
struct Teller {
  int rank = 0;
  Whereabouts known;
};

Teller most_telling(const HangStory& story) {
  Teller teller{.rank = story.cause.roots.front(),
                .known = {.place = Place::kElsewhere, .words = "", .evidence = {}}};
  for (const int rank : story.cause.roots) {
    Whereabouts known = whereabouts_of(story.job, rank);
    if (known.place != Place::kNoEvidence && known.place < teller.known.place) {
      teller = {.rank = rank, .known = std::move(known)};
    }
  }
  return teller;
}

void add_whereabouts(HangStory& story, const Teller& teller) {
  Finding& finding = story.finding;
  if (teller.known.place == Place::kElsewhere) return;
  finding.explanation += fmt::format("Of rank {} is known: {}. ", teller.rank, teller.known.words);
  if (teller.known.evidence) finding.evidence.push_back(*teller.known.evidence);
  if (const std::string_view code = code_for(teller.known.place); !code.empty()) finding.code = code;
  const bool is_certain = teller.known.place == Place::kDead || teller.known.place == Place::kStopped ||
                          teller.known.place == Place::kFailed;
  if (is_certain) finding.confidence = std::max(finding.confidence, 0.9);
}

void add_restart(HangStory& story, int rank) {
  const bool is_alone = story.cause.roots.size() == 1 && story.finding.code == "desync.missing_rank";
  if (!is_alone || !was_restarted(story.job, story.wait.communicator, rank)) return;
  story.finding.code = "desync.rank_restarted";
  story.finding.explanation += fmt::format(
      "Its numbers begin at the start again, later than the others' records: rank {} was restarted alone. ",
      rank);
}

bool is_inside_an_open_region(const HangStory& story, int rank) {
  const model::RankHistory* history = story.job.find_rank(rank);
  return history != nullptr && std::ranges::any_of(history->events, [&](const model::Event& event) {
           return is_placed(event) && event.communicator == story.wait.communicator &&
                  event.sequence == story.wait.sequence;
         });
}

bool has_finished_everything(const model::Job& job, int rank) {
  const model::RankHistory* history = job.find_rank(rank);
  return history != nullptr && std::ranges::none_of(history->events, [](const model::Event& event) {
           return event.kind != model::EventKind::kActivity && model::is_unfinished(event);
         });
}

void tell_seen(HangStory& story) {
  Finding& finding = story.finding;
  const std::string who = ranks_in_words(story.cause.roots);
  finding.code = "desync.missing_rank";
  finding.title = fmt::format("{} never joined {}", who, story.call());
  finding.confidence = story.wait.waiting.size() + story.wait.finished.size() > 1 ? 0.95 : 0.85;
  if (story.cause.roots.size() == 1) {
    const int rank = story.cause.roots.front();
    if (is_inside_an_open_region(story, rank)) {
      finding.explanation += fmt::format("Rank {} began the coalesced region and never closed it. ", rank);
      return;
    }
    const auto last = story.presence.last_issued(story.wait.communicator, rank);
    finding.explanation += fmt::format(
        "Rank {} {}; its last collective there is {}. ", rank,
        has_finished_everything(story.job, rank) ? "finished all that it issued" : "did not issue it",
        last ? fmt::format("number {}", *last) : std::string("none at all"));
  } else {
    finding.explanation += fmt::format("{} did not issue it. ", who);
  }
}

void tell_absence(HangStory& story) {
  Finding& finding = story.finding;
  const bool is_one = story.cause.roots.size() == 1;
  const std::string who = ranks_in_words(story.cause.roots);
  finding.code = "desync.missing_evidence";
  finding.title = fmt::format("{} left no evidence while {} wait in {}", who,
                              ranks_in_words(story.waiting_ranks()), story.call());
  finding.explanation +=
      fmt::format("{} left no dump or recording of it: {}, but this is absence of evidence, not proof. ", who,
                  is_one ? "it is the prime suspect" : "they are the prime suspects");
  finding.confidence = 0.7;
  const bool too_little_is_known =
      story.cause.roots.size() > story.wait.waiting.size() + story.wait.finished.size();
  if (too_little_is_known) {
    finding.explanation +=
        "Most of the group left nothing, so nobody is accused: collect the others' dumps. ";
    finding.confidence = 0.3;
    finding.root_ranks.clear();
  }
}

}  // namespace

void tell_missing(HangStory& story) {
  story.finding.explanation =
      fmt::format("{} {} in {}{}. ", ranks_in_words(story.waiting_ranks()),
                  story.wait.waiting.size() == 1 ? "waits" : "wait", story.call(), story.since());
  story.cause.is_absence ? tell_absence(story) : tell_seen(story);
  story.add_waiting_evidence();
  const Teller teller = most_telling(story);
  story.add_last_known(teller.rank);
  add_whereabouts(story, teller);
  story.add_stack(teller.rank, teller.known);
  add_restart(story, teller.rank);
}

}  // namespace lockstep::ranks
