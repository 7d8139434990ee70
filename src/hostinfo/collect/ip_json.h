// What `ip -j` prints, as facts. Never fails: what is damaged becomes a sentence in `faults`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hostinfo/host_facts.h"

namespace lockstep::hostinfo {

// Of `ip -j -d addr show`.
std::vector<Interface> interfaces_in(std::string_view json, std::vector<std::string>& faults);

// Of `ip -j -4 route show table all`; the family is not in the text.
std::vector<Route> routes_in(std::string_view json, base::Family family, std::vector<std::string>& faults);

// Of `ip -j -4 rule`.
std::vector<PolicyRule> policy_rules_in(std::string_view json, base::Family family,
                                        std::vector<std::string>& faults);

}  // namespace lockstep::hostinfo
