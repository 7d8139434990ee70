// The packet filters of this host: nftables, and iptables of both kinds.
#pragma once

#include "network/host_facts.h"

namespace lockstep::hostinfo {

void take_firewall(network::HostFacts& facts);

}  // namespace lockstep::hostinfo
