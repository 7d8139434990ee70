#include "analysis/timing/waiting_calls.h"

#include "analysis/signature.h"

namespace lockstep::analysis {

WaitingCalls::WaitingCalls(const model::Job& job) {
  by_collective_.reserve(job.collectives.size());
  for (const model::Collective& collective : job.collectives.values()) {
    by_collective_.push_back(lockstep::analysis::is_synchronising(collective.operation) ? Kind::kSynchronising
                             : collective.operation == model::Operation::kReceive       ? Kind::kReceive
                                                                                        : Kind::kOther);
  }
}

}  // namespace lockstep::analysis
