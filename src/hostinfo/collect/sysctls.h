// Settings of the kernel that bear on distributed jobs, and its modules that do.
#pragma once

#include "hostinfo/host_facts.h"

namespace lockstep::hostinfo {

void take_sysctls(HostFacts& facts);
void take_modules(HostFacts& facts);

}  // namespace lockstep::hostinfo
