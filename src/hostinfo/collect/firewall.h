// The packet filters of this host: nftables, and iptables of both kinds.
#pragma once

#include "hostinfo/host_facts.h"

namespace lockstep::hostinfo {

void take_firewall(HostFacts& facts);

}  // namespace lockstep::hostinfo
