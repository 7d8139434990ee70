// PyTorch flight recorder dumps as JSON: from its debug endpoints, torchcomms and Ray; the snapshot of its
// debug server with one for each rank; and files that are named like a dump but are none. A file that was cut
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

// The text snapshot of PyTorch's debug server with a flight recorder dump for each rank:
//   PARTIAL DATA: 3/4 workers responded
//   === Rank 0: http://host:1234 ===
//   {"entries": [...
bool is_debug_server_snapshot(const Source& source);
model::Job read_debug_server_snapshot(const Source& source);

// A file that is named like the dump of a rank and holds none: empty, another pickle, or nothing known. That
// the rank left it is evidence, though its content is not. The only reader that decides by the name; it is
// asked last.
bool is_named_like_a_dump(const Source& source);
model::Job read_unreadable_dump(const Source& source);

}  // namespace lockstep::readers
