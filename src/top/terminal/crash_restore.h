// Gives the terminal back when the process crashes. While armed, SIGABRT, SIGSEGV, SIGBUS, SIGFPE and SIGILL
// first restore it, then do what they would have done.
#pragma once

#include <string_view>
#include <termios.h>

namespace lockstep::top {

// `farewell` lives as long as the program.
void restore_on_crash(int fd, const termios& before, std::string_view farewell);
void no_restore_on_crash();

}  // namespace lockstep::top
