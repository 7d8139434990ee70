// Why the recorder never came into a job's processes, as far as the command itself tells.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lockstep::supervise {

// In a sentence's words: "python -I ignores the variables by which ...". None where nothing shows.
std::optional<std::string> why_unrecorded(const std::vector<std::string>& command);

}  // namespace lockstep::supervise
