// The error.json that @record of torch.distributed.elastic leaves when a rank fails.
//
//     {"message": {"message": "RuntimeError: ...",
//                  "extraInfo": {"py_callstack": "Traceback ...", "timestamp": "1700000000"}}}
//
// Other writers put the text and the time at the top: {"message": "...", "timestamp": 1700000000}.
#pragma once

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

bool recognises_error_json(const Source& source);
model::Job read_error_json(const Source& source);

}  // namespace lockstep::readers
