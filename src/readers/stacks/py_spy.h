// Stacks as `py-spy dump` prints them, of one process or of several (--subprocesses).
//
//     Process 10621: python -u train.py
//     Python v3.11.2 (/usr/bin/python3.11)
//
//     Thread 10621 (active+gil): "MainThread"
//         train (train.py:14)
//         <module> (train.py:15)
#pragma once

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

bool recognises_py_spy_text(const Source& source);
model::Job read_py_spy_text(const Source& source);

// Stacks as `py-spy dump --json` prints them: a list of threads, each with the pid of its process.
bool recognises_py_spy_json(const Source& source);
model::Job read_py_spy_json(const Source& source);

}  // namespace lockstep::readers
