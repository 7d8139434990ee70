// What torchrun and torch.distributed.elastic leave when ranks fail: an error.json for each rank, and the
// summary in torchrun's own log.
#pragma once

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

// The error.json that @record of torch.distributed.elastic leaves when a rank fails.
//
//     {"message": {"message": "RuntimeError: ...",
//                  "extraInfo": {"py_callstack": "Traceback ...", "timestamp": "1700000000"}}}
//
// Other writers put the text and the time at the top: {"message": "...", "timestamp": 1700000000}.
bool recognises_error_json(const Source& source);
model::Job read_error_json(const Source& source);

// What torchrun says in its own log when ranks fail: which process of which rank ended how, in each attempt.
//
//     ... failed (exitcode: -11) local_rank: 1 (pid: 10621) of binary: /usr/bin/python
//     Root Cause (first observed failure):
//     [0]:
//       time      : 2026-11-15_12:26:08
//       host      : node-a
//       rank      : 1 (local_rank: 1)
//       exitcode  : -11 (pid: 10621)  (SIGSEGV)
//       error_file: <N/A>
//       traceback : Signal 11 (SIGSEGV) received by PID 10621
//
// The times of the block are left alone: they are local times that do not say where.
bool recognises_torchrun_summary(const Source& source);
model::Job read_torchrun_summary(const Source& source);

}  // namespace lockstep::readers
