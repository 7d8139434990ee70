// Runs one rank of a recorded job again, alone, and compares it with the recording. The way into this folder.
#pragma once

#include "base/result.h"
#include "replay/processes.h"
#include "replay/request.h"

namespace lockstep::replay {

// The exit status: the program's own; 1 when it ended well and differs from the recording. Of a bisection 0
// when the step was found, 1 when it holds nowhere. Writes findings.json into the replay's recording.
Result<int> replay_rank(const Request& request, const Output& output);

}  // namespace lockstep::replay
