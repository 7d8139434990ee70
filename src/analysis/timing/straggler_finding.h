// Slow ranks and slow hosts as findings.
#pragma once

#include <vector>

#include "analysis/timing/straggler.h"
#include "model/finding.h"

namespace lockstep::analysis {

// One finding per slow host, one for all other slow ranks together; none for what cost the job next to
// nothing.
std::vector<model::Finding> findings_of(const model::Job& job, const Alignment& alignment,
                                        const Stragglers& stragglers);

}  // namespace lockstep::analysis
