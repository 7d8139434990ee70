// A candidate as the finding that people and programs read.
#pragma once

#include <set>
#include <span>

#include "model/finding.h"
#include "symptoms/candidate.h"

namespace lockstep::symptoms {

model::Finding finding_from(const Candidate& candidate, std::span<const LogText> logs,
                            const std::set<int>& speaking, double confidence);

}  // namespace lockstep::symptoms
