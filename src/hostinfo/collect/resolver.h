// This host's resolver, asked in the ways the libraries ask.
#pragma once

#include <string>
#include <vector>

#include "hostinfo/host_facts.h"

namespace lockstep::hostinfo {

ResolvedName resolve(const std::string& name);

// The given names, the host's own, and those of the environment (MASTER_ADDR, TF_CONFIG ...). Also the full
// name of the host.
void take_names(const std::vector<std::string>& names, HostFacts& facts);

// Host names in variables that launchers set.
std::vector<std::string> names_in(const std::map<std::string, std::string>& environment);

}  // namespace lockstep::hostinfo
