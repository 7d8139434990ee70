// Whether this process is a replay, and the way out of one that cannot go on.
#pragma once

namespace lockstep::adapters::mpi {

bool is_solo();

// Says why, and ends the program.
[[noreturn]] void leave_replay(const char* why);

}  // namespace lockstep::adapters::mpi
