// A failed attempt and the facts of its hosts, given to the library behind `lockstep check --fix`.
#pragma once

#include <string>
#include <vector>

#include "service/engine/attempt_folder.h"
#include "service/engine/plan.h"
#include "service/retry/set_up_repair.h"

namespace lockstep::service {

// The facts of this host, where the others of the attempt find them.
Result<void> keep_facts(const AttemptFolder& folder, const Plan& plan, int node);

// `environment`: that of the attempt's keeper. Only where all nodes left their facts.
SetUpRepair repair_for(const AttemptFolder& folder, const Plan& plan,
                       const std::vector<std::string>& environment);

Result<void> write_set_up_repair(const AttemptFolder& folder, const SetUpRepair& repair);
SetUpRepair read_set_up_repair(const AttemptFolder& folder);  // an empty one when there is none

}  // namespace lockstep::service
