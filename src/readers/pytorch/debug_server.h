// The text snapshot of PyTorch's debug server with a flight recorder dump for each rank:
//   PARTIAL DATA: 3/4 workers responded
//   === Rank 0: http://host:1234 ===
//   {"entries": [...
#pragma once

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

bool is_debug_server_snapshot(const Source& source);
model::Job read_debug_server_snapshot(const Source& source);

}  // namespace lockstep::readers
