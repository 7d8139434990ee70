// The interface names horovodrun would agree on.
#pragma once

#include <functional>
#include <span>

#include "network/choices/choice.h"

namespace lockstep::network {

struct CommonInterfaces {
  std::vector<std::string> names = {};  // sorted; which of them Gloo gets is left to chance
  std::string failure = {};
  std::vector<Reason> trail = {};
};

// Task i probes the addresses of task i+1 only. `can_reach` answers for (from, to, address).
using CanReach = std::function<bool(std::size_t from, std::size_t to, const Address& address)>;
CommonInterfaces choose_horovod(std::span<const HostFacts* const> hosts,
                                const std::string& network_interfaces, const CanReach& can_reach);

}  // namespace lockstep::network
