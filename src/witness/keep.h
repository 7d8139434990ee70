// Puts an account into the folder of the recording, where `lockstep diagnose` finds it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "witness/collect.h"

namespace lockstep::witness {

// host_<name>.json, stacks/rank_00003.restart_0.python.txt and stacks/rank_00003.restart_0.native.txt. An
// account that was kept before is replaced: the last fault is the one people ask about.
Result<void> keep(const Account& account, const std::filesystem::path& recording);

// The file of one process's stacks, `kind` "python" or "native".
std::string stacks_file_name(const Subject& subject, std::string_view kind);

}  // namespace lockstep::witness
