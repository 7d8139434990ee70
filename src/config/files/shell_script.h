// Shell scripts: the launches that they start, each with the variables of its moment, and Slurm's #SBATCH
// lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/reading.h"

namespace lockstep::config {

struct ShellText {
  std::string text;
  std::string name = {};                                   // $0
  std::optional<std::vector<shell::Word>> arguments = {};  // nothing: not known
};

// Each launch that the text starts goes to `reading.finished`, the last one to `reading.launch`. What the
// launch has already (the variables, an srun around it) each of them has.
void read_shell_text(const ShellText& text, const shell::Place& place, const Reading& reading);

// A file that a command names; the launches as above.
void read_script_file(const std::string& path, std::optional<std::vector<shell::Word>> arguments,
                      const Reading& reading);

// A file that the user names: `reading.place.file`. All launches go to `reading.finished`, in their order; a
// script without any leaves what it asks Slurm for in `reading.launch`.
void read_shell_script(std::string_view text, const Reading& reading);

}  // namespace lockstep::config
