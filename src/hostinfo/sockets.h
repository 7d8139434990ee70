// TCP sockets that listen on this host.
#pragma once

#include <string_view>
#include <vector>

#include "network/host_facts.h"

namespace lockstep::hostinfo {

// The text of /proc/net/tcp and tcp6.
std::vector<network::ListeningSocket> listening_in(std::string_view text);

void take_listening(network::HostFacts& facts);

}  // namespace lockstep::hostinfo
