#include "diagnose/ranks/timing/waiting_calls.h"

#include "diagnose/ranks/signature.h"

namespace lockstep::ranks {

WaitingCalls::WaitingCalls(const model::Job& job) {
  by_collective_.reserve(job.collectives.size());
  for (const model::Collective& collective : job.collectives.values()) {
    by_collective_.push_back(lockstep::ranks::is_synchronising(collective.operation) ? Kind::kSynchronising
                             : collective.operation == model::Operation::kReceive    ? Kind::kReceive
                                                                                     : Kind::kOther);
  }
}

}  // namespace lockstep::ranks
