// What NCCL prints with NCCL_DEBUG=INFO: who made which communicator, and with NCCL_DEBUG_SUBSYS=COLL every
// operation that was enqueued. The lines may stand anywhere in a log and those of several ranks may be mixed.
//
// Numbers: making the communicator is 0 and the first operation is 1 (NCCL's opCount is 0 there), so that the
// two are not taken for one.
#pragma once

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

bool recognises_nccl_debug_log(const Source& source);
model::Job read_nccl_debug_log(const Source& source);

}  // namespace lockstep::readers
