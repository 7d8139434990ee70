// Suggested commands as this job's user would type them: with the launcher, script and arguments that the
// recording's manifest holds.
#pragma once

#include <filesystem>
#include <vector>

#include "model/finding.h"

namespace lockstep::diagnose {

// "lockstep isolate -- COMMAND" gets the job's command where a path is a recording that knows it, and is told
// what to compare with. Without one the user must.
void fill_in_own_command(const std::vector<std::filesystem::path>& paths, model::Verdict& verdict);

}  // namespace lockstep::diagnose
