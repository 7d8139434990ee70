// All ranks of an attempt on one node: started together, ended together.
#pragma once

#include "service/engine/attempt_folder.h"

namespace lockstep::service {

// Gives the status of the rank that failed first, 0 when all ended well, 124 at the time limit.
int run_gang(const AttemptFolder& folder);

inline constexpr int kTimeLimitStatus = 124;

}  // namespace lockstep::service
