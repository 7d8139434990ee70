// A service for this user that starts because it is needed, and goes when it is not.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace lockstep::service {

// Makes the folder and starts `program serve` in the background. Of several that are started at once one
// stays.
Result<void> start_service(const std::filesystem::path& state_folder, const std::string& program);

// The path of this very program.
Result<std::string> own_program();

}  // namespace lockstep::service
