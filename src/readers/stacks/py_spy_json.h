// Stacks as `py-spy dump --json` prints them: a list of threads, each with the pid of its process.
#pragma once

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

bool recognises_py_spy_json(const Source& source);
model::Job read_py_spy_json(const Source& source);

}  // namespace lockstep::readers
