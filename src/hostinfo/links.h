// Interfaces, addresses, routes and the rules that choose among route tables.
#pragma once

#include "network/host_facts.h"

namespace lockstep::hostinfo {

void take_links(network::HostFacts& facts);

}  // namespace lockstep::hostinfo
