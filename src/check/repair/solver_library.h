// Z3, loaded when a repair is asked for: linked, it and the C++ library behind it would stand between every
// command and its start, and the tool would not start where it is missing.
#pragma once

#include <optional>
#include <string>

namespace lockstep::repair {

// Loads it at the first call. Empty when it is there; otherwise what is missing and how to get it. Before
// that no function of z3.h may be called.
std::optional<std::string> why_no_solver();

}  // namespace lockstep::repair
