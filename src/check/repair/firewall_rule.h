// The rule that lets a job's connections through a firewall: in the facts of its host, and as the command.
#pragma once

#include <set>
#include <string>

#include "hostinfo/host_facts.h"
#include "network/reach.h"

namespace lockstep::repair {

struct FirewallRule {
  network::Decider decider = {};  // before which it stands
  bool is_leaving = false;        // it is about what the host sends
  bool is_reply = false;          // ... or answers: let through by the state of their connection
  std::set<base::Address> peers = {};
  network::PortSet ports = {};
};

std::string command_of(const FirewallRule& rule);

// As the host would tell of itself with the rule in place.
void insert(const FirewallRule& rule, hostinfo::FirewallTexts& texts);

}  // namespace lockstep::repair
