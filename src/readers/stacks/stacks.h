// Stacks of processes, in the forms in which tools print them.
#pragma once

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

// As `py-spy dump` prints them, of one process or of several (--subprocesses).
//
//     Process 10621: python -u train.py
//     Python v3.11.2 (/usr/bin/python3.11)
//
//     Thread 10621 (active+gil): "MainThread"
//         train (train.py:14)
//         <module> (train.py:15)
bool recognises_py_spy_text(const Source& source);
model::Job read_py_spy_text(const Source& source);

// Stacks as `py-spy dump --json` prints them: a list of threads, each with the pid of its process.
bool recognises_py_spy_json(const Source& source);
model::Job read_py_spy_json(const Source& source);

// Stacks as `pystack remote` and `pystack core` print them.
//
//     Traceback for thread 10621 (python) [Has the GIL] (most recent call last):
//         (Python) File "/job/train.py", line 15, in <module>
//             train()
//         (Python) File "/job/train.py", line 14, in train
bool recognises_pystack(const Source& source);
model::Job read_pystack(const Source& source);

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
bool recognises_faulthandler(const Source& source);
model::Job read_faulthandler(const Source& source);

// Stacks of C and C++ frames that `lockstep run` had gdb or eu-stack take, under a line of its own:
//
//     lockstep_native_stacks 1 pid 22688 by gdb
//     Thread 1 (Thread 0x7f72f2fa4740 (LWP 22688) "train"):
//     #0  0x00007f72f30a326f in poll () from /lib/x86_64-linux-gnu/libc.so.6
//     #1  0x000055f8c761e190 in load_batch (n=1000000) at /job/train.c:5
bool recognises_native_stacks(const Source& source);
model::Job read_native_stacks(const Source& source);

}  // namespace lockstep::readers
