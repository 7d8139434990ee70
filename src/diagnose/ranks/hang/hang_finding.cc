#include "diagnose/ranks/hang/hang_finding.h"

#include <algorithm>

#include "catalogue/advice.h"
#include "diagnose/ranks/failed_ranks.h"
#include "diagnose/ranks/hang/hang_finding_builder.h"
#include "model/finding_code.h"

namespace lockstep::ranks {
namespace {

bool is_barrier(const model::Job& job, const model::Event& event) {
  return event.collective != model::CollectiveId::kNone &&
         job.collectives[event.collective].operation == model::Operation::kBarrier;
}

// Nothing was ever completed but barriers, as that of hvd.init: the job never got as far as training.
bool is_before_the_first_step(const HangFindingBuilder& builder) {
  const auto has_completed_something = [&](const model::RankHistory& history) {
    return !history.begins_at_start || std::ranges::any_of(history.events, [&](const model::Event& event) {
      return event.state == model::EventState::kCompleted && !is_barrier(builder.job, event);
    });
  };
  return builder.wait.sequence <= 1 && std::ranges::none_of(builder.job.ranks, has_completed_something);
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
bool connects_before_the_first_call(const HangFindingBuilder& builder) {
  const std::string& backend = builder.job.communicators[builder.wait.communicator].backend;
  return backend == "gloo" || backend == "grpc" || are_connected(builder.job);
}

model::Leaf leaf_of(const HangFindingBuilder& builder) {
  if (!is_before_the_first_step(builder)) return model::Leaf::kPerfHang;
  return connects_before_the_first_call(builder) ? model::Leaf::kPrepHang : model::Leaf::kSetupHang;
}

// A job one of whose processes died has broken, even where the others wait on: training cannot communicate.
void place_by_a_death(model::Finding& finding) {
  const bool has_died = finding.code == model::codes::kDeadRank;
  if (has_died && finding.leaf == model::Leaf::kPerfHang) finding.leaf = model::Leaf::kRunComm;
}

// One that left nothing while a job is set up did not start. A rank whose own call was given up before it
// ended may have lost the others as they lost it: the way between them is looked at first.
std::vector<model::Fix> fixes_of(const HangFindingBuilder& builder) {
  const model::Finding& finding = builder.finding;
  const bool never_came =
      finding.code == model::codes::kMissingEvidence && finding.leaf == model::Leaf::kSetupHang;
  if (never_came) return catalogue::fixes_for(model::codes::kSetupRankNotStarted);
  std::vector<model::Fix> fixes = catalogue::fixes_for(finding.code);
  const bool may_be_the_way =
      finding.code == model::codes::kDeadRank && std::ranges::all_of(finding.root_ranks, [&](int rank) {
        const model::RankHistory* history = builder.job.find_rank(rank);
        return history != nullptr && was_let_down(*history);
      });
  if (!may_be_the_way) return fixes;
  std::vector<model::Fix> of_the_way = catalogue::fixes_for(model::codes::kStuckInCollective);
  of_the_way.insert(of_the_way.end(), fixes.begin(), fixes.end());
  return of_the_way;
}

void tell(HangFindingBuilder& builder) {
  switch (builder.cause.kind) {
    case CauseKind::kMissing:
      return builder.wait.kind == WaitKind::kCollective ? describe_missing(builder)
                                                        : describe_unmatched_message(builder);
    case CauseKind::kExtra:
      return describe_extra(builder);
    case CauseKind::kAllCame:
      return describe_all_came(builder);
    case CauseKind::kCircle:
      return describe_circle(builder);
  }
}

}  // namespace

model::Finding finding_of(const model::Job& job, const PresenceTable& presence, std::span<const Wait> waits,
                          const Cause& cause) {
  HangFindingBuilder builder(job, presence, waits, cause);
  builder.finding.leaf = leaf_of(builder);
  tell(builder);
  place_by_a_death(builder.finding);
  builder.add_errors_of_waiting();
  builder.finding.fixes = fixes_of(builder);
  return std::move(builder.finding);
}

}  // namespace lockstep::ranks
