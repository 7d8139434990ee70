// The report that ncclras prints (NCCL 2.24 to 2.31), and the lines of its monitor mode.
#pragma once

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

bool recognises_ras_text(const Source& source);
model::Job read_ras_text(const Source& source);

}  // namespace lockstep::readers
