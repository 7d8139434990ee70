// The cross-rank analysis as a list of steps: a merged job in, findings out, most likely first.
#pragma once

#include <vector>

#include "model/finding.h"
#include "model/job.h"

namespace lockstep::ranks {

// A pure function of the job. Linear in its events.
std::vector<model::Finding> analyse(const model::Job& job);

}  // namespace lockstep::ranks
