// A candidate as the finding that people and programs read.
#pragma once

#include <set>
#include <span>

#include "diagnose/logs/candidate.h"
#include "model/finding.h"

namespace lockstep::logs {

model::Finding finding_from(const Candidate& candidate, std::span<const LogText> logs,
                            const std::set<int>& speaking, double confidence);

}  // namespace lockstep::logs
