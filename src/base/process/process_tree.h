// Every process below this one, found in /proc.
#pragma once

#include <sys/types.h>
#include <vector>

namespace lockstep::process {

// Descendants of the calling process, parents before children. Those that have ended and wait to be reaped
// count too.
std::vector<pid_t> descendants();

// Sends the signal to every descendant. A process that has ended meanwhile is left alone, even if its number
// has been given to another.
void signal_descendants(int number);

}  // namespace lockstep::process
