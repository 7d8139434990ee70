// An attempt as `lockstep check` is given a launch.
#pragma once

#include <string>
#include <vector>

#include "config/configuration.h"
#include "service/engine/plan.h"

namespace lockstep::service {

// The command of the ranks and the environment that rank 0 has. Files that the command names are looked for
// in the plan's directory.
config::Inputs inputs_of(const Plan& plan, const std::vector<std::string>& environment);

}  // namespace lockstep::service
