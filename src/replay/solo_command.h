// The command that runs a recorded rank again: the recorded one, alone, under another, or in its place.
#pragma once

#include <string>
#include <vector>

#include "record/payload.h"

namespace lockstep::replay {

// `given` is what the user wrote behind "--". Empty: the recorded command. A debugger or tracer (gdb --args,
// strace, valgrind ...) gets the recorded command behind it; "python -m pdb" and other modules get the
// recorded script and its arguments; any other command is run as it stands. A bare "python" is the recorded
// one.
std::vector<std::string> solo_command(const record::PayloadProcess& process,
                                      const std::vector<std::string>& given);

// The recorded environment without what Lockstep had put there.
std::vector<std::string> recorded_environment(const record::PayloadProcess& process);

// In which arguments, folder, file or variables another process differs, in words.
std::vector<std::string> differences_between(const record::PayloadProcess& recorded,
                                             const record::PayloadProcess& other);

}  // namespace lockstep::replay
