// Horovod's timeline (HOROVOD_TIMELINE): rank 0 notes when each rank announced each tensor.
//
// Every announcement is one event of that rank. Tensors whose response came from Horovod's cache carry no
// announcements: of those it is only known that all ranks got past them.
#pragma once

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

bool recognises_horovod_timeline(const Source& source);
model::Job read_horovod_timeline(const Source& source);

}  // namespace lockstep::readers
