// Expressions of nft's JSON as matches.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "network/firewall/program.h"

namespace lockstep::network {

// Elements of the named sets and maps of one table, by "@name".
using NamedSets = std::map<std::string, base::Json>;

// Narrows each of `alternatives` by "left op right"; several elements of a concatenation multiply them.
// False: not understood, and `alternatives` are as they were.
bool narrow(std::vector<Match>& alternatives, const base::Json& left, const std::string& op,
            const base::Json& right, const NamedSets& sets);

}  // namespace lockstep::network
