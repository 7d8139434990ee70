// What to do about each kind of fault, in the order in which to try it.
#pragma once

#include <string_view>
#include <vector>

#include "model/fix.h"

namespace lockstep::ranks {

// Empty for a code that has none.
std::vector<model::Fix> fixes_for(std::string_view code);
std::vector<std::string_view> codes_with_fixes();

}  // namespace lockstep::ranks
