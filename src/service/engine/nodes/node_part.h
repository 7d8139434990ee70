// The part of an attempt on one of its nodes, started there by the cluster's own launcher.
#pragma once

#include <string>

#include "service/engine/attempt_folder.h"

namespace lockstep::service {

// Gives the exit status for the launcher; what went wrong before any rank ran goes to standard error, which
// the launcher keeps.
int run_node(const AttemptFolder& folder, const std::string& program);

}  // namespace lockstep::service
