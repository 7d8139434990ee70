// Ranks of which there is no sign while those that are there have begun and issued nothing: the job waits to
// be complete.
#pragma once

#include <optional>

#include "model/finding.h"
#include "model/job.h"

namespace lockstep::ranks {

std::optional<model::Finding> find_unstarted_ranks(const model::Job& job);

}  // namespace lockstep::ranks
