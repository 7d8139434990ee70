// A job that somebody ended through us, while nothing was wrong with it.
#pragma once

#include "run/supervise/run_job.h"

namespace lockstep::supervise {

// Says so, where the watcher had seen nothing until then and the ranks were not silent. What its ranks were
// doing when they were ended would look like a hang to whoever judges the recording alone.
void tell_interruption(WatchedEnd& end);

}  // namespace lockstep::supervise
