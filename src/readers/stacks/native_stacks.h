// Stacks of C and C++ frames that `lockstep run` had gdb or eu-stack take, under a line of its own:
//
//     lockstep_native_stacks 1 pid 22688 by gdb
//     Thread 1 (Thread 0x7f72f2fa4740 (LWP 22688) "train"):
//     #0  0x00007f72f30a326f in poll () from /lib/x86_64-linux-gnu/libc.so.6
//     #1  0x000055f8c761e190 in load_batch (n=1000000) at /job/train.c:5
#pragma once

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

bool recognises_native_stacks(const Source& source);
model::Job read_native_stacks(const Source& source);

}  // namespace lockstep::readers
