// Interfaces, addresses, routes and the rules that choose among route tables.
#pragma once

#include "hostinfo/host_facts.h"

namespace lockstep::hostinfo {

void take_links(HostFacts& facts);

}  // namespace lockstep::hostinfo
