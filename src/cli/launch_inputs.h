// What `check` and `run` look at: the command, the environment it would run under, and the files it names.
#pragma once

#include <string>
#include <vector>

#include "config/configuration.h"

namespace lockstep::cli {

config::Inputs launch_inputs(const std::vector<std::string>& command, const std::vector<std::string>& files);

}  // namespace lockstep::cli
