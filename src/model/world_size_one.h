// Processes that each took themselves for the whole job, at the same time: the launcher's ranks never met.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/job.h"

namespace lockstep::model {

// Parts that are rank 0 of 1 and whose times overlap with another such part; empty or at least two. A job of
// one rank that was restarted is none: its lives come one after another.
std::vector<std::size_t> world_size_one(std::span<const Job> parts);

}  // namespace lockstep::model
