// Every process is alone: before the parts of a job are merged, since they all call themselves rank 0.
#pragma once

#include <optional>
#include <span>

#include "model/finding.h"
#include "model/job.h"

namespace lockstep::ranks {

std::optional<model::Finding> find_world_size_one(std::span<const model::Job> parts);

}  // namespace lockstep::ranks
