// The rank that a launcher gave a process, by the variables it was started with.
#pragma once

#include <optional>
#include <sys/types.h>

#include "base/process/proc_files.h"

namespace lockstep::evidence {

// Nothing for a process that is no rank, or that may not be looked at.
std::optional<int> rank_of_process(const process::Roots& roots, pid_t pid);

}  // namespace lockstep::evidence
