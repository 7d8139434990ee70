// What `lockstep check` says of an attempt before it starts, what is put right before it does, and what
// `lockstep check --fix` would change after it failed.
#pragma once

#include <string>
#include <vector>

#include "config/configuration.h"
#include "service/engine/attempt_folder.h"
#include "service/engine/plan.h"
#include "service/retry/retry_policy.h"

namespace lockstep::service {

// The command of the ranks and the environment that rank 0 has. Files that the command names are looked for
// in the plan's directory.
config::Inputs inputs_of(const Plan& plan, const std::vector<std::string>& environment);

// lockstep-findings-v1, from the command of the ranks and the environment that rank 0 will have. `directory`
// of the plan is where files that the command names are looked for.
std::string check_plan(const Plan& plan, const std::vector<std::string>& environment);

// Files at which ranks are to meet (init_method=file://PATH): one that is there before the ranks are was left
// by an earlier run, and those who find it wait for its ranks.
// Renames those that the command or the environment names; gives their paths.
std::vector<std::string> put_away_stale_meetings(const Plan& plan,
                                                 const std::vector<std::string>& environment);

// The facts of this host, where the others of the attempt find them.
Result<void> keep_facts(const AttemptFolder& folder, const Plan& plan, int node);

// `environment`: that of the attempt's supervisor. Only where all nodes left their facts.
SetUpRepair repair_for(const AttemptFolder& folder, const Plan& plan,
                       const std::vector<std::string>& environment);

Result<void> write_set_up_repair(const AttemptFolder& folder, const SetUpRepair& repair);
Result<SetUpRepair> read_set_up_repair(const AttemptFolder& folder);  // an empty one when there is none

}  // namespace lockstep::service
