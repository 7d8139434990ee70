// A running job as the analysis knows jobs: the newest events of every rank, and which of their processes
// run.
#pragma once

#include <cstdint>

#include "model/job.h"
#include "run/watch/live_job.h"

namespace lockstep::watch {

// Calls that began less than `settled_ns` ago count as under way: a job that runs always waits somewhere.
model::Job evidence_of(const LiveJob& job, std::int64_t settled_ns);

}  // namespace lockstep::watch
