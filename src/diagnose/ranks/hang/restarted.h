// A rank that came back alone and counts its collectives from the start again.
#pragma once

#include "model/job.h"

namespace lockstep::ranks {

// True when the rank's first collective in the communicator is an early one, issued later than some other
// rank issued a much later one.
bool was_restarted(const model::Job& job, model::CommunicatorId communicator, int rank);

}  // namespace lockstep::ranks
