// A program that says nothing, run to its end. Descriptors that are not closed at exec are its own too.
#pragma once

#include <string>
#include <vector>

namespace lockstep::travel {

// Its exit status; 127 when it could not be started, 128 and the signal that ended it.
int run_quietly(const std::vector<std::string>& argv);

}  // namespace lockstep::travel
