// Running a program as a shell does: with this program's own terminal, input and output, so that a debugger
// can be talked to; and a command as one would type it there.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/result.h"

namespace lockstep::process {

struct ForegroundOptions {
  std::filesystem::path folder = {};            // "": this program's
  std::function<void(pid_t pid)> on_stop = {};  // it stands still; none: nobody asks
  bool is_silent = false;                       // what it prints is dropped
};

// `argv[0]` is looked up in the PATH of `environment`. The status is as a shell tells it: that of the
// program, or 128 and the signal that ended it. An error only when it could not be started. SIGINT and
// SIGQUIT from the terminal are the program's alone for the time of the call.
Result<int> run_in_foreground(const std::vector<std::string>& argv,
                              const std::vector<std::string>& environment, const ForegroundOptions& options);

// As one types it in a shell: each word quoted where needed.
std::string typed_in_a_shell(const std::vector<std::string>& argv);

}  // namespace lockstep::process
