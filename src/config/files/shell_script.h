// Shell scripts: the variables they set, the launchers they call, and Slurm's #SBATCH lines.
#pragma once

#include <string_view>

#include "config/reading.h"

namespace lockstep::config {

// A file: `reading.place.file` is its name.
void read_shell_script(std::string_view text, const Reading& reading);

// The text behind `bash -c`, all on one line of the file.
void read_shell_commands(std::string_view text, const Reading& reading);

}  // namespace lockstep::config
