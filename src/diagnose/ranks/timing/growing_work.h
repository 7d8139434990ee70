// Steps that take longer and longer because every rank has more and more to do in them: a list that is never
// emptied, a graph that is never let go.
#pragma once

#include <optional>

#include "diagnose/ranks/timing/timings.h"
#include "model/finding.h"

namespace lockstep::ranks {

std::optional<model::Finding> find_growing_work(const model::Job& job, const Timings& timings);

}  // namespace lockstep::ranks
