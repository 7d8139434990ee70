// The document of `nft -j list ruleset` as programs. Never fails: what is not understood makes the rule
// doubtful and is named.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "network/firewall/program.h"

namespace lockstep::network {

// `replaced` are tables ("ip filter") that are read from another text: those of iptables-nft.
std::vector<Program> nft_programs(const base::Json& document, const std::set<std::string>& replaced,
                                  std::vector<std::string>& limits);

}  // namespace lockstep::network
