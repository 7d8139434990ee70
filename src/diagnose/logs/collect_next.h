// What would show more, where the logs do not say enough: commands to copy, for the framework and the
// launcher that the logs show.
#pragma once

#include <string>
#include <vector>

#include "diagnose/logs/context.h"

namespace lockstep::logs {

std::vector<std::string> what_to_collect(const Context& context);

}  // namespace lockstep::logs
