// Files at which ranks are to meet (init_method=file://PATH): one that is there before the ranks are was left
// by an earlier run, and those who find it wait for its ranks.
#pragma once

#include <string>
#include <vector>

#include "service/engine/plan.h"

namespace lockstep::service {

// Renames those that the command or the environment names; gives their paths.
std::vector<std::string> put_away_stale_meetings(const Plan& plan,
                                                 const std::vector<std::string>& environment);

}  // namespace lockstep::service
