// A few ranks in a collective that the rest of the group never meant to call.
#include <algorithm>

#include <fmt/format.h>

#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/hang/hang_story.h"

namespace lockstep::ranks {
namespace {

bool waits_elsewhere(const HangStory& story, int rank) {
  return std::ranges::any_of(story.waits, [&](const Wait& wait) {
    return std::ranges::any_of(
        wait.waiting, [&](EventPlace place) { return story.job.ranks[place.rank].rank.number == rank; });
  });
}

}  // namespace

void tell_extra(HangStory& story) {
  model::Finding& finding = story.finding;
  const std::string who = ranks_in_words(story.cause.roots);
  finding.code = "desync.extra_collective";
  finding.title = fmt::format("{} issued {}, which the other {} members never did", who, story.call(),
                              story.wait.absent.size());
  finding.explanation = fmt::format(
      "{} {} in it{}. The other members {} and did not issue it: {} made a call that the rest of the group "
      "does "
      "not know. ",
      who, story.cause.roots.size() == 1 ? "waits" : "wait", story.since(),
      waits_elsewhere(story, story.wait.absent.front()) ? "went on to other calls"
                                                        : "have nothing unfinished",
      who);
  finding.confidence = 0.85;
  story.add_waiting_evidence();
  story.add_last_known(story.wait.absent.front());
}

}  // namespace lockstep::ranks
