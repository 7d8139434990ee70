// Suggested commands as this job's user would type them: with the launcher, script and arguments that the
// recording's manifest holds.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/finding.h"

namespace lockstep::diagnose {

// What stands for the job's command in the catalogue's commands.
inline constexpr std::string_view kCommandToFillIn = "COMMAND";

// Fills it in where a path is a recording that knows its command; 'lockstep isolate' is then told what to
// compare with. Without one the user must.
void fill_in_own_command(const std::vector<std::filesystem::path>& paths, model::Verdict& verdict);

// As one types it in a shell: quoted where needed.
std::string typed_in_a_shell(const std::vector<std::string>& command);

}  // namespace lockstep::diagnose
