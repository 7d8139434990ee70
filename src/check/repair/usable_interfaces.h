// Interfaces of the hosts by which others can be reached.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "hostinfo/host_facts.h"

namespace lockstep::repair {

// One with its first address as libraries take it.
struct UsableInterface {
  std::string name;
  base::Address address;
};

// By host: what carries the default route first, bridges of containers only where there is nothing else; none
// with an address that another host has too.
std::vector<std::vector<UsableInterface>> usable_interfaces(std::span<const hostinfo::HostFacts> hosts);

}  // namespace lockstep::repair
