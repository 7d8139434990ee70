// Results that differ between ranks, as a finding.
#pragma once

#include "diagnose/ranks/correctness/divergence.h"
#include "model/finding.h"

namespace lockstep::ranks {

model::Finding finding_of(const model::Job& job, const Divergence& divergence);

}  // namespace lockstep::ranks
