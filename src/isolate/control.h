// A launch command becomes that of one rank alone: pure, by documented flags and variables only. What each
// launcher needs for that stands in src/launchers.
#pragma once

#include <string>

#include "base/result.h"
#include "launchers/one_rank.h"

namespace lockstep::isolate {

using launchers::Change;
using launchers::Control;
using launchers::Environment;
using launchers::Launch;
using launchers::Words;

// The same program with the same arguments, world size 1, on this machine (srun: on one node). An error when
// that cannot be done honestly: a flag whose meaning is not known, several programs, parameter servers, a
// launcher hidden in a script.
Result<Control> reduce_to_one_rank(const Launch& launch);

// What will run instead of what was typed: lines for people, each ended; everything from the user's command
// is safe to show on a terminal.
std::string describe(const Control& control, const Environment& before);

}  // namespace lockstep::isolate
