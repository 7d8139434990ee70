// Ranks that no longer have the same model, though the framework keeps it equal on all of them.
#pragma once

#include <optional>

#include "model/finding.h"
#include "model/job.h"

namespace lockstep::ranks {

// Compares the recorded sums of parameters and of buffers that nobody synchronises, step by step. Ranks that
// average their models from time to time differ in between and agree again, so only a difference that lasts
// counts.
std::optional<model::Finding> find_model_drift(const model::Job& job);

}  // namespace lockstep::ranks
