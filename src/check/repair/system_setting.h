// Settings of a host's system that a repair may ask for: what changes in its facts, and the command that does
// it.
#pragma once

#include <string>

#include "hostinfo/host_facts.h"

namespace lockstep::repair {

// "shm" (bytes), "nofile", "mtu IFACE", or a sysctl. Gives the command.
std::string set_system(hostinfo::HostFacts& facts, const std::string& setting, const std::string& value);

}  // namespace lockstep::repair
