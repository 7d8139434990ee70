// PyTorch flight recorder dumps as PyTorch writes them itself: pickled, every version since 2.1. Also dumps
// that were loaded and pickled again by Python, in any protocol.
#pragma once

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

bool is_flight_recorder_pickle(const Source& source);
model::Job read_flight_recorder_pickle(const Source& source);

}  // namespace lockstep::readers
