// Hangs of jobs whose evidence shows no collective that someone waits in: the last to be asked, and none more
// than a suspicion.
#pragma once

#include <optional>
#include <vector>

#include "model/finding.h"
#include "model/job.h"

namespace lockstep::ranks {

struct LaggingCounter {
  model::CommunicatorId communicator = model::CommunicatorId::kNone;
  model::Operation operation = model::Operation::kUnknown;
  std::int64_t others_at = 0;
  std::vector<int> behind;  // ascending
  std::vector<int> others;  // ascending
};

// At most one for each communicator: the one with the largest gap.
std::vector<LaggingCounter> find_lagging_counters(const model::Job& job);

model::Finding finding_of(const model::Job& job, const LaggingCounter& lagging);

// Ranks of which there is no sign while those that are there have begun and issued nothing: the job waits to
// be complete.

std::optional<model::Finding> find_unstarted_ranks(const model::Job& job);

// Who waits where, by the stacks of live ranks alone: for hangs that left no dump and no recording.
//
// Every collective of a framework passes through functions with known names. A rank whose main thread is in
// one of them waits for the others, or will in a moment; a rank whose main thread is in none of them is not
// where the others are. One look cannot tell stuck from slow, so ranks that all stand in the same function
// are no finding.

std::optional<model::Finding> find_stuck_stacks(const model::Job& job);

}  // namespace lockstep::ranks
