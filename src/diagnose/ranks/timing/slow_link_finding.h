// Slow ways between ranks as a finding.
#pragma once

#include <optional>
#include <vector>

#include "diagnose/ranks/timing/slow_link.h"
#include "model/finding.h"

namespace lockstep::ranks {

// One for all of them; none for what cost the job next to nothing.
std::optional<model::Finding> finding_of(const model::Job& job, std::vector<SlowLink> links);

}  // namespace lockstep::ranks
