// The process that stands between the engine and one rank: it tells the rank where the others are, keeps what
// it prints, and leaves a final record of how it ended that nobody else had a hand in.
#pragma once

#include <string>

#include "service/engine/attempt_folder.h"
#include "service/engine/plan.h"

namespace lockstep::service {

// Runs the rank to its end. Gives the status of the rank as a shell would.
int run_rank(const AttemptFolder& folder, const Plan& plan, int rank);

// What kept a rank from being started, as if it had printed it.
void say_for_rank(const AttemptFolder& folder, const Plan& plan, int rank, const std::string& words);

}  // namespace lockstep::service
