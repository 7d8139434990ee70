// The part of an attempt on one of its nodes, started there by the cluster's own launcher.
#pragma once

#include <string>

#include "service/engine/attempt_folder.h"
#include "service/job/end_reason.h"

namespace lockstep::service {

// Gives the exit status for the launcher; what went wrong before any rank ran is kept in the attempt's folder
// and goes to standard error.
int run_node(const AttemptFolder& folder, const std::string& program);

// Why the first of the nodes that could not start their ranks could not; empty: all could.
EndReason fault_of_nodes(const AttemptFolder& folder, int nodes);

}  // namespace lockstep::service
