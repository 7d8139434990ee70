// The interfaces of NCCL's bootstrap and Socket transport.
#pragma once

#include "network/choices/choice.h"

namespace lockstep::network {

// addresses[0] is the bootstrap's; the Socket transport uses all. Settings come from the environment, then
// from the user's and the system's NCCL configuration file among the facts.
Choice choose_nccl(const hostinfo::HostFacts& facts, const Environment& environment, LibraryVersion version);

}  // namespace lockstep::network
