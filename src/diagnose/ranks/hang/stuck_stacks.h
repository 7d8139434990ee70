// Who waits where, by the stacks of live ranks alone: for hangs that left no dump and no recording.
//
// Every collective of a framework passes through functions with known names. A rank whose main thread is in
// one of them waits for the others, or will in a moment; a rank whose main thread is in none of them is not
// where the others are. One look cannot tell stuck from slow, so ranks that all stand in the same function
// are no finding.
#pragma once

#include <optional>

#include "model/finding.h"
#include "model/job.h"

namespace lockstep::ranks {

std::optional<model::Finding> find_stuck_stacks(const model::Job& job);

}  // namespace lockstep::ranks
