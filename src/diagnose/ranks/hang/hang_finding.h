// A cause of a hang as a finding a person reads.
#pragma once

#include <span>

#include "diagnose/ranks/hang/presence.h"
#include "diagnose/ranks/hang/wait_graph.h"
#include "model/finding.h"

namespace lockstep::ranks {

model::Finding finding_of(const model::Job& job, const PresenceTable& presence, std::span<const Wait> waits,
                          const Cause& cause);

}  // namespace lockstep::ranks
