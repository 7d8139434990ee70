#include "diagnose/ranks/hang/hang_finding.h"

#include <algorithm>

#include "catalogue/advice.h"
#include "diagnose/ranks/failed_ranks.h"
#include "diagnose/ranks/hang/hang_story.h"

namespace lockstep::ranks {
namespace {

bool is_barrier(const model::Job& job, const model::Event& event) {
  return event.collective != model::CollectiveId::kNone &&
         job.collectives[event.collective].operation == model::Operation::kBarrier;
}

// Nothing was ever completed but barriers, as that of hvd.init: the job never got as far as training.
bool is_before_the_first_step(const HangStory& story) {
  const auto has_completed_something = [&](const model::RankHistory& history) {
    return !history.begins_at_start || std::ranges::any_of(history.events, [&](const model::Event& event) {
      return event.state == model::EventState::kCompleted && !is_barrier(story.job, event);
    });
  };
  return story.wait.sequence <= 1 && std::ranges::none_of(story.job.ranks, has_completed_something);
}

// They have met in a barrier.
bool are_connected(const model::Job& job) {
  return std::ranges::any_of(job.ranks, [&](const model::RankHistory& history) {
    return std::ranges::any_of(history.events, [&](const model::Event& event) {
      return event.state == model::EventState::kCompleted && is_barrier(job, event);
    });
  });
}

// Gloo connects all members when a group is made, and TensorFlow's tasks meet when their servers start, so
// who waits in a call is past setting up. Others connect in the first call.
bool connects_before_the_first_call(const HangStory& story) {
  const std::string& backend = story.job.communicators[story.wait.communicator].backend;
  return backend == "gloo" || backend == "grpc" || are_connected(story.job);
}

model::Leaf leaf_of(const HangStory& story) {
  if (!is_before_the_first_step(story)) return model::Leaf::kPerfHang;
  return connects_before_the_first_call(story) ? model::Leaf::kPrepHang : model::Leaf::kSetupHang;
}

// A job one of whose processes died has broken, even where the others wait on: training cannot communicate.
void place_by_a_death(model::Finding& finding) {
  const bool has_died = finding.code == "desync.dead_rank";
  if (has_died && finding.leaf == model::Leaf::kPerfHang) finding.leaf = model::Leaf::kRunComm;
}

// One that left nothing while a job is set up did not start. A rank whose own call was given up before it
// ended may have lost the others as they lost it: the way between them is looked at first.
std::vector<model::Fix> fixes_of(const HangStory& story) {
  const model::Finding& finding = story.finding;
  const bool never_came =
      finding.code == "desync.missing_evidence" && finding.leaf == model::Leaf::kSetupHang;
  if (never_came) return catalogue::fixes_for("setup.rank_not_started");
  std::vector<model::Fix> fixes = catalogue::fixes_for(finding.code);
  const bool may_be_the_way =
      finding.code == "desync.dead_rank" && std::ranges::all_of(finding.root_ranks, [&](int rank) {
        const model::RankHistory* history = story.job.find_rank(rank);
        return history != nullptr && was_let_down(*history);
      });
  if (!may_be_the_way) return fixes;
  std::vector<model::Fix> of_the_way = catalogue::fixes_for("desync.stuck_in_collective");
  of_the_way.insert(of_the_way.end(), fixes.begin(), fixes.end());
  return of_the_way;
}

void tell(HangStory& story) {
  switch (story.cause.kind) {
    case CauseKind::kMissing:
      return story.wait.kind == WaitKind::kCollective ? tell_missing(story) : tell_unmatched_message(story);
    case CauseKind::kExtra:
      return tell_extra(story);
    case CauseKind::kAllCame:
      return tell_all_came(story);
    case CauseKind::kCircle:
      return tell_circle(story);
  }
}

}  // namespace

model::Finding finding_of(const model::Job& job, const PresenceTable& presence, std::span<const Wait> waits,
                          const Cause& cause) {
  HangStory story(job, presence, waits, cause);
  story.finding.leaf = leaf_of(story);
  tell(story);
  place_by_a_death(story.finding);
  story.add_errors_of_waiting();
  story.finding.fixes = fixes_of(story);
  return std::move(story.finding);
}

}  // namespace lockstep::ranks
