// A control in words: what will run instead of what was typed.
#pragma once

#include <string>

#include "isolate/control.h"

namespace lockstep::isolate {

// Lines for people, each ended; everything from the user's command is safe to show on a terminal.
std::string describe(const Control& control, const Environment& before);

// As one types it in a shell: quoted where needed.
std::string as_typed(const Words& command);

}  // namespace lockstep::isolate
