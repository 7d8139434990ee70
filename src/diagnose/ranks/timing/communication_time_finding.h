// A job that communicates more than it works, as a finding.
#pragma once

#include <optional>

#include "diagnose/ranks/timing/communication_time.h"
#include "diagnose/ranks/timing/straggler.h"
#include "model/finding.h"

namespace lockstep::ranks {

// None where the slow ranks explain it, or the evidence is too short to tell.
std::optional<model::Finding> finding_of(const model::Job& job, const CommunicationTime& time,
                                         const Stragglers& stragglers);

}  // namespace lockstep::ranks
