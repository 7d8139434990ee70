// What was understood of what the user gave: one line for people, everything with its origins for programs.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "config/configuration.h"

namespace lockstep::rules {

// "torchrun, 2 nodes x 8 ranks, master node1:29500; open: --nproc-per-node". One for each launch, the same
// ones once.
std::vector<std::string> understood_lines(const config::Configuration& configuration);

// A list of launches: {"launchers", "line" (as above), "values": [{"path", "value" or "open", "file", "line",
// "how"}]}.
base::Json understood_json(const config::Configuration& configuration);

}  // namespace lockstep::rules
