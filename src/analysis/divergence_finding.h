// Results that differ between ranks, as a finding.
#pragma once

#include "analysis/divergence.h"
#include "model/finding.h"

namespace lockstep::analysis {

model::Finding finding_of(const model::Job& job, const Divergence& divergence);

}  // namespace lockstep::analysis
