// A firewall without the rules that cannot concern a kind of packets: of thousands of rules few speak of a
// job's ports, and what an early rule decides for all packets needs no later one.
#pragma once

#include "network/firewall/program.h"

namespace lockstep::network {

struct KnownPart {
  Protocol protocol = kTcp;
  ConnectionState state = kNew;
  std::uint8_t tcp_flags = 0;
  base::Address own = {};   // of the host whose firewall it is; the peer's address is open
  bool is_leaving = false;  // otherwise it enters
  PortPairs::Box ports = {};
};

// Decides every such packet as the whole firewall does.
Firewall narrowed(const Firewall& firewall, const KnownPart& known);

}  // namespace lockstep::network
