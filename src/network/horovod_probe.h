// horovodrun's probes of the ring, decided by routes and firewalls instead of packets.
#pragma once

#include "network/choices/horovod.h"
#include "network/reach_hosts.h"

namespace lockstep::network {

CommonInterfaces choose_horovod(const ReachHosts& hosts, const std::string& network_interfaces);

}  // namespace lockstep::network
