// All packet filters of a host as one list of programs.
#pragma once

#include "hostinfo/host_facts.h"
#include "network/firewall/program.h"

namespace lockstep::network {

Firewall read_firewall(const hostinfo::FirewallTexts& texts);

}  // namespace lockstep::network
