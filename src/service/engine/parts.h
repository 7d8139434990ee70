// The parts of an attempt that are processes of their own, below its supervisor: a node, its gang, and a
// wrapper for each rank.
#pragma once

#include <string>

#include "service/engine/attempt_folder.h"
#include "service/engine/plan.h"
#include "service/job/end_reason.h"

namespace lockstep::service {

// The part of an attempt on one of its nodes, started there by the cluster's own launcher.
// Gives the exit status for the launcher; what went wrong before any rank ran is kept in the attempt's folder
// and goes to standard error.
int run_node(const AttemptFolder& folder, const std::string& program);

// Why the first of the nodes that could not start their ranks could not; empty: all could.
EndReason fault_of_nodes(const AttemptFolder& folder, int nodes);

// All ranks of an attempt on one node: started together, ended together.
// Gives the status of the rank that failed first, 0 when all ended well, 124 at the time limit.
int run_gang(const AttemptFolder& folder);

inline constexpr int kTimeLimitStatus = 124;

// The process that stands between the engine and one rank: it tells the rank where the others are, keeps what
// it prints, and leaves a final record of how it ended that nobody else had a hand in.

// Runs the rank to its end. Gives the status of the rank as a shell would.
int run_rank(const AttemptFolder& folder, const Plan& plan, int rank);

// What kept a rank from being started, as if it had printed it.
void say_for_rank(const AttemptFolder& folder, const Plan& plan, int rank, const std::string& words);

}  // namespace lockstep::service
