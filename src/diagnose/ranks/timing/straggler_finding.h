// Slow ranks and slow hosts as findings.
#pragma once

#include <vector>

#include "diagnose/ranks/timing/straggler.h"
#include "model/finding.h"

namespace lockstep::ranks {

// One finding per slow host, one for all other slow ranks together; none for what cost the job next to
// nothing.
std::vector<model::Finding> findings_of(const model::Job& job, const Alignment& alignment,
                                        const Stragglers& stragglers);

}  // namespace lockstep::ranks
