// Ranks that run another version than the others.
#pragma once

#include <vector>

#include "model/finding.h"
#include "model/job.h"

namespace lockstep::ranks {

// One finding for the framework's versions, or for those of its recorder, which follow them: in front of
// `findings` where these tell of ranks that never got past setting up, else behind them.
void add_version_skew(const model::Job& job, std::vector<model::Finding>& findings);

}  // namespace lockstep::ranks
