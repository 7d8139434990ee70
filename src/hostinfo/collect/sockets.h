// TCP sockets that listen on this host.
#pragma once

#include <string_view>
#include <vector>

#include "hostinfo/host_facts.h"

namespace lockstep::hostinfo {

// The text of /proc/net/tcp and tcp6.
std::vector<ListeningSocket> listening_in(std::string_view text);

void take_listening(HostFacts& facts);

}  // namespace lockstep::hostinfo
