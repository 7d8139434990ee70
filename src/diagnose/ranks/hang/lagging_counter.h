// Ranks whose counters stand behind those of the others.
//
// Some evidence cannot tell what is finished, only how far each rank has come in a communicator: NCCL's RAS
// reports and debug lines, the counters beside a ring. A rank that is behind while all others stand at the
// same number is what they wait for. A running job has such differences too, for a moment, so this never is
// more than a suspicion.
#pragma once

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

}  // namespace lockstep::ranks
