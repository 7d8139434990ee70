// A send or receive whose other end was never posted.
#include <fmt/format.h>

#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/hang/hang_story.h"
#include "diagnose/ranks/whereabouts.h"

namespace lockstep::ranks {
namespace {

// Such a rank posts nothing any more: its loss is the fault, as it is where the others wait in a collective.
bool is_lost(Place place) {
  return place == Place::kDead || place == Place::kStopped || place == Place::kFailed;
}

}  // namespace

void tell_unmatched_message(HangStory& story) {
  model::Finding& finding = story.finding;
  const Wait& wait = story.wait;
  const int waiting = story.waiting_ranks().front();
  const int partner = story.cause.roots.front();
  const bool is_send = wait.kind == WaitKind::kSend;
  finding.code = is_send ? "point_to_point.unmatched_send" : "point_to_point.unmatched_receive";
  finding.title =
      fmt::format("rank {} never posted {} number {} {} rank {} in {}", partner, is_send ? "receive" : "send",
                  wait.sequence, is_send ? "from" : "to", waiting, describe(story.job, wait.communicator));
  finding.explanation = fmt::format(
      "Rank {} waits in its {} number {} {} rank {}{}, and the other end was never posted. ", waiting,
      is_send ? "send" : "receive", wait.sequence, is_send ? "to" : "from", partner, story.since());
  finding.confidence = story.cause.is_absence ? 0.7 : 0.9;
  story.add_waiting_evidence();
  story.add_last_known(partner);
  const Whereabouts known = whereabouts_of(story.job, partner);
  if (known.place != Place::kElsewhere) {
    finding.explanation += fmt::format("Of rank {} is known: {}. ", partner, known.words);
    if (known.evidence) finding.evidence.push_back(*known.evidence);
    if (is_lost(known.place)) finding.code = code_for(known.place);
  }
  story.add_stack(partner, known);
}

}  // namespace lockstep::ranks
