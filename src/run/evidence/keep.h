// Puts an account into the folder of the recording, where `lockstep diagnose` finds it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "run/evidence/collect.h"

namespace lockstep::evidence {

// host_<name>.json, kernel_<name>.log, stacks/rank_00003.restart_0.python.txt and
// stacks/rank_00003.restart_0.native.txt. What was kept before of the same processes is replaced or removed:
// the last fault is the one people ask about.
Result<void> keep(const Account& account, const std::filesystem::path& recording);

// The file of one process's stacks, `kind` "python" or "native".
std::string stacks_file_name(const Subject& subject, std::string_view kind);

}  // namespace lockstep::evidence
