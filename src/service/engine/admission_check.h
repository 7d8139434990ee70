// What `lockstep check` says of an attempt before it starts.
#pragma once

#include <string>
#include <vector>

#include "service/engine/plan.h"

namespace lockstep::service {

// lockstep-findings-v1, from the command of the ranks and the environment that rank 0 will have. `directory`
// of the plan is where files that the command names are looked for.
std::string check_plan(const Plan& plan, const std::vector<std::string>& environment);

}  // namespace lockstep::service
