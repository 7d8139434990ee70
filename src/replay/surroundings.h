// What ran and where, as a rank's record file tells it: the files of the program, versions of libraries, and
// the platform. Two runs that differ may do so for one of these.
#pragma once

#include <string>
#include <vector>

#include "replay/compare/attributes.h"

namespace lockstep::replay {

// Of the attributes that begin with "program ", "library " or "platform ", and the versions of frameworks:
// "the program (train.py)", "the library torch (2.6.0 against 2.13.0)", "the platform's threads (1 against
// 2)", in this order. What one of them does not tell is not different.
std::vector<std::string> surroundings_that_differ(const Attributes& first, const Attributes& second);

}  // namespace lockstep::replay
