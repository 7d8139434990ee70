// The text of iptables-save, of both kinds and families, as programs. Never fails: what is not understood
// makes the rule doubtful and is named.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "hostinfo/host_facts.h"
#include "network/firewall/program.h"

namespace lockstep::network {

// Names of the tables it held are added to `tables` as nft has them: "ip filter".
std::vector<Program> iptables_programs(const hostinfo::IptablesText& text, std::set<std::string>& tables);

}  // namespace lockstep::network
