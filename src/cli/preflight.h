// The quick look at a command before `run` starts it.
#pragma once

#include <string>
#include <vector>

namespace lockstep::cli {

// What cannot work, in lines for people; empty when nothing is known to be wrong. Warnings are left to
// `check`.
std::string preflight(const std::vector<std::string>& command);

}  // namespace lockstep::cli
