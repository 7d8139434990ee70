// Rules that let all connections of a job pass the firewalls of some of its hosts.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "check/repair/patch.h"
#include "hostinfo/host_facts.h"
#include "network/reach.h"

namespace lockstep::repair {

// The rule that lets a job's connections through a firewall: in the facts of its host, and as the command.
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

// On hosts for which `may_open` is set. What another rule blocks behind the first is opened too.
void open_firewalls(const std::vector<bool>& may_open, Patched& patched);

}  // namespace lockstep::repair
