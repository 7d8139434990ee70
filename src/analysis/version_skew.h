// Ranks that run another version than the others.
#pragma once

#include <optional>

#include "model/finding.h"
#include "model/job.h"

namespace lockstep::analysis {

// One finding for the framework's versions, or for those of its recorder, which follow them.
std::optional<model::Finding> find_version_skew(const model::Job& job);

}  // namespace lockstep::analysis
