// Settings of the kernel that bear on distributed jobs, and its modules that do.
#pragma once

#include "network/host_facts.h"

namespace lockstep::hostinfo {

void take_sysctls(network::HostFacts& facts);
void take_modules(network::HostFacts& facts);

}  // namespace lockstep::hostinfo
