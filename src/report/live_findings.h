// What was seen while a job ran, kept in its recording, so that it is known to whoever judges the recording
// later.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "model/finding.h"

namespace lockstep::report {

Result<void> keep_live_findings(const std::filesystem::path& recording, std::vector<model::Finding> findings);

// Of all recordings among the paths; damaged or missing ones have none.
std::vector<model::Finding> live_findings_in(const std::vector<std::filesystem::path>& paths);

}  // namespace lockstep::report
