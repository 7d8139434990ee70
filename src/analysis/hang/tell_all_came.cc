// A collective that everyone came to and that does not end: the program did its part.
#include <fmt/format.h>

#include "analysis/describe.h"
#include "analysis/hang/hang_story.h"
#include "analysis/signature.h"

namespace lockstep::analysis {
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

}  // namespace

void tell_all_came(HangStory& story) {
  const std::string who = ranks_in_words(story.waiting_ranks());
  story.finding.code = "desync.stuck_in_collective";
  if (!story.wait.unknown.empty()) {
    tell_not_enough_known(story, who);
  } else if (!story.wait.finished.empty()) {
    tell_stuck_on_some(story, who);
  } else {
    tell_stuck_on_all(story, who);
  }
  story.add_waiting_evidence();
}

}  // namespace lockstep::analysis
