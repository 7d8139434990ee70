// What would show more, where the logs do not say enough: commands to copy, for the framework and the
// launcher that the logs show.
#pragma once

#include <string>
#include <vector>

#include "symptoms/context.h"

namespace lockstep::symptoms {

std::vector<std::string> what_to_collect(const Context& context);

}  // namespace lockstep::symptoms
