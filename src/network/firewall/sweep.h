// Which ports of a packet a firewall lets through, exactly: the set of ports that is still undecided is
// carved rule by rule, so one pass answers for all ports, and says which rule decided each part.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "network/firewall/program.h"

namespace lockstep::network {

struct Decided {
  Decision decision = Decision::kAccept;
  PortPairs ports = {};
  const RuleOrigin* origin = nullptr;  // of the rule that decided, or that is not understood
  std::string why = {};                // for unknown
};

// What happens to the packets in one base chain; the parts are disjoint and cover `ports`.
std::vector<Decided> sweep(const Program& program, const Packet& packet, const PortPairs& ports);

// Through all base chains of a hook, in order. Parts that are not accepted come with the rule; one last part,
// which may be missing, is what all accept.
std::vector<Decided> sweep(const Firewall& firewall, Hook hook, const Packet& packet, const PortPairs& ports);

}  // namespace lockstep::network
