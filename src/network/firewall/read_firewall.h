// All packet filters of a host as one list of programs.
#pragma once

#include "network/firewall/program.h"
#include "network/host_facts.h"

namespace lockstep::network {

Firewall read_firewall(const FirewallTexts& texts);

}  // namespace lockstep::network
