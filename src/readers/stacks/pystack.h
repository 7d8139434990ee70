// Stacks as `pystack remote` and `pystack core` print them.
//
//     Traceback for thread 10621 (python) [Has the GIL] (most recent call last):
//         (Python) File "/job/train.py", line 15, in <module>
//             train()
//         (Python) File "/job/train.py", line 14, in train
#pragma once

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

bool recognises_pystack(const Source& source);
model::Job read_pystack(const Source& source);

}  // namespace lockstep::readers
