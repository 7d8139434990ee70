// PyTorch flight recorder dumps as JSON: from its debug endpoints, torchcomms and Ray. A file that was cut
// gives its whole entries.
#pragma once

#include <string_view>

#include "model/job.h"
#include "readers/pytorch/flight_recorder_rank.h"
#include "readers/source.h"

namespace lockstep::readers {

bool is_flight_recorder_json(const Source& source);
model::Job read_flight_recorder_json(const Source& source);

// Whether an object that begins so is a dump.
bool begins_as_flight_recorder_json(std::string_view text);
// One dump into the rank that wrote it, which is not finished yet.
void read_flight_recorder_object(std::string_view object, FlightRecorderRank& rank);

}  // namespace lockstep::readers
