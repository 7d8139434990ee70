// What NCCL's RAS answers to STATUS and MONITOR after SET FORMAT json (since 2.28.7).
#pragma once

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

bool recognises_ras_json(const Source& source);
model::Job read_ras_json(const Source& source);

}  // namespace lockstep::readers
