// Resource limits of this process: those the launcher gave, when it was started the way a rank is.
#pragma once

#include <cstdint>
#include <optional>

#include "hostinfo/host_facts.h"

namespace lockstep::hostinfo {

void take_limits(HostFacts& facts);

// The tightest of the control group and those above it.
std::optional<std::uint64_t> pids_limit();

}  // namespace lockstep::hostinfo
