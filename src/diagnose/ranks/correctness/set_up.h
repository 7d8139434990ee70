// Ranks that were set up so that they do not fit together.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/finding.h"
#include "model/job.h"

namespace lockstep::ranks {

// One finding for the framework's versions, or for those of its recorder, which follow them: in front of
// `findings` where these tell of ranks that never got past setting up, else behind them.
void add_version_skew(const model::Job& job, std::vector<model::Finding>& findings);

// Every process is alone: before the parts of a job are merged, since they all call themselves rank 0.

std::optional<model::Finding> find_world_size_one(std::span<const model::Job> parts);

}  // namespace lockstep::ranks
