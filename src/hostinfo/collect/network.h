// The network of this host: its interfaces, routes, listening sockets and packet filters.
#pragma once

#include <string_view>
#include <vector>

#include "hostinfo/host_facts.h"

namespace lockstep::hostinfo {

// Interfaces, addresses, routes and the rules that choose among route tables.
void take_links(HostFacts& facts);

// The text of /proc/net/tcp and tcp6.
std::vector<ListeningSocket> listening_in(std::string_view text);

// TCP sockets that listen on this host.
void take_listening(HostFacts& facts);

// The packet filters of this host: nftables, and iptables of both kinds.
void take_firewall(HostFacts& facts);

}  // namespace lockstep::hostinfo
