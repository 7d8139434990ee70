// The rule sets that `nft -j list ruleset` and iptables-save print, as programs. Never fails: what is not
// understood makes the rule doubtful and is named.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "hostinfo/host_facts.h"
#include "network/firewall/program.h"

namespace lockstep::network {

// `replaced` are tables ("ip filter") that are read from another text: those of iptables-nft.
std::vector<Program> nft_programs(const base::Json& document, const std::set<std::string>& replaced,
                                  std::vector<std::string>& limits);

// Elements of the named sets and maps of one table, by "@name".
using NamedSets = std::map<std::string, base::Json>;

// Narrows each of `alternatives` by "left op right"; several elements of a concatenation multiply them.
// False: not understood, and `alternatives` are as they were.
bool narrow(std::vector<Match>& alternatives, const base::Json& left, const std::string& op,
            const base::Json& right, const NamedSets& sets);

// Names of the tables it held are added to `tables` as nft has them: "ip filter".
std::vector<Program> iptables_programs(const hostinfo::IptablesText& text, std::set<std::string>& tables);

}  // namespace lockstep::network
