// What the times and values of a job tell, as a list of steps: findings about speed and results.
#pragma once

#include <vector>

#include "diagnose/ranks/align.h"
#include "model/finding.h"

namespace lockstep::ranks {

std::vector<model::Finding> find_performance_faults(const model::Job& job, const Alignment& alignment);

}  // namespace lockstep::ranks
