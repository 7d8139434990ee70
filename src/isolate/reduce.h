// A launch command becomes that of one rank alone: pure, by documented flags and variables only.
#pragma once

#include "base/result.h"
#include "isolate/control.h"

namespace lockstep::isolate {

// The same program with the same arguments, world size 1, on this machine (srun: on one node). An error when
// that cannot be done honestly: a flag whose meaning is not known, several programs, parameter servers, a
// launcher hidden in a script.
Result<Control> reduce_to_one_rank(const Launch& launch);

}  // namespace lockstep::isolate
