// Ranks that are known only by their number on one host.
#pragma once

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

// Takes the local rank for the global one, as it is on a job of one host, and says so in the job's limits.
void number_by_local_rank(const Source& source, model::Rank& rank, model::Job& job);

}  // namespace lockstep::readers
