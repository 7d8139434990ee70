// The processes below this one, found without memory of its own: a job can be ended where none is left.
#pragma once

#include <sys/types.h>

namespace lockstep::process {

// Sends the signal to every process below this one, but not to `without` and what that started; 0 is no
// signal. Gives how many there are, those that wait to be reaped too; -1: /proc cannot be read. One that has
// ended meanwhile is left alone, even if its number has been given to another.
int signal_descendants(int number, pid_t without = 0) noexcept;

}  // namespace lockstep::process
