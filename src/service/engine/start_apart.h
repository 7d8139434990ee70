// A process that goes on when the service ends: in a session of its own, with no descriptor of the service,
// it shares nothing whose end it would feel.
#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/result.h"

namespace lockstep::service {

// What it prints is added to `log`. The caller reaps it.
Result<pid_t> start_apart(std::vector<std::string> command, std::vector<std::string> environment,
                          const std::filesystem::path& log);

}  // namespace lockstep::service
