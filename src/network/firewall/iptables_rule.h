// One line of iptables-save.
#pragma once

#include <string>
#include <string_view>

#include "network/firewall/chains.h"

namespace lockstep::network {

struct IptablesRule {
  std::string chain;
  ChainRule rule;
  bool has_verdict = false;  // false: it only counts or marks
};

// "-A INPUT -s 10.0.0.0/8 -p tcp -m tcp --dport 22 -j ACCEPT". A target that is no verdict is a chain.
IptablesRule read_iptables_rule(std::string_view line, bool is_ipv6);

}  // namespace lockstep::network
