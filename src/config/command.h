// A command line: launchers inside each other, wrappers, containers, and the program at the end.
#pragma once

#include <span>
#include <string>

#include "config/reading.h"

namespace lockstep::config {

void read_command(std::span<const std::string> words, const Reading& reading);

}  // namespace lockstep::config
