// Makes flight recorder entries of those in JSON.
#pragma once

#include "base/fast_json.h"
#include "readers/pytorch/flight_recorder_rank.h"

namespace lockstep::readers {

// False when the object is no entry.
bool add_json_entry(base::FastJson object, FlightRecorderRank& rank);

}  // namespace lockstep::readers
