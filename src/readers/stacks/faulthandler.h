// Stacks from Python's faulthandler: on a fatal signal, after a timeout, on request. Also in the middle of a
// log.
//
//     Fatal Python error: Segmentation fault
//
//     Thread 0x00007fd0911266c0 (most recent call first):
//       File "/job/train.py", line 8 in heartbeat
//
//     Current thread 0x00007fd0b179a2c0 (most recent call first):
//       File "/job/train.py", line 14 in train
#pragma once

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

bool recognises_faulthandler(const Source& source);
model::Job read_faulthandler(const Source& source);

}  // namespace lockstep::readers
