// What NCCL's RAS subsystem reports of the communicators of a job.
#pragma once

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

// What it answers to STATUS and MONITOR after SET FORMAT json (since 2.28.7).
bool recognises_ras_json(const Source& source);
model::Job read_ras_json(const Source& source);

// The report that ncclras prints (NCCL 2.24 to 2.31), and the lines of its monitor mode.
bool recognises_ras_text(const Source& source);
model::Job read_ras_text(const Source& source);

}  // namespace lockstep::readers
