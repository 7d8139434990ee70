// Addresses that more than one host has: bridges of containers, and mistakes.
#pragma once

#include <set>
#include <span>

#include "hostinfo/host_facts.h"

namespace lockstep::network {

std::set<base::Address> shared_addresses(std::span<const hostinfo::HostFacts> hosts);

}  // namespace lockstep::network
