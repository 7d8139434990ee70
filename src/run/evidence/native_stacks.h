// Stacks of C and C++ frames, by a debugger that is installed. It stops the process for as long as it looks,
// so only who asked for it gets it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "base/process/proc_files.h"

namespace lockstep::evidence {

struct NativeStacks {
  std::string text;     // a line of ours, then what the debugger printed
  std::string why_not;  // a clause, when there is no text
};

// Empty when nothing forbids it.
std::string why_tracing_is_forbidden(const process::Roots& roots, bool is_root);

// One answer for each process, in their order, one after the other until the time is over.
std::vector<NativeStacks> native_stacks_of(const process::Roots& roots, const std::vector<pid_t>& pids,
                                           std::chrono::milliseconds time);

// What a debugger said of its failure, in a line.
std::string reason_in(std::string_view said);

}  // namespace lockstep::evidence
