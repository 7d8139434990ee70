// The interface names horovodrun would agree on.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "network/choices/choice.h"
#include "network/port_ranges.h"

namespace lockstep::network {

struct CommonInterfaces {
  std::vector<std::string> names = {};  // sorted; which of them Gloo gets is left to chance
  std::string failure = {};
  std::vector<Reason> trail = {};
};

// Its driver, tasks and store listen at any port by chance, not where the kernel would put them.
constexpr PortRange kHorovodPorts{.first = 1024, .last = 65535};

// Task i probes the addresses of task i+1 only. `probe` says by which address of `from` the other one is
// reached, if it is: an interface counts when both ends have its name.
using Probe = std::function<std::optional<base::Address>(std::size_t from, std::size_t to,
                                                         const base::Address& address)>;
CommonInterfaces choose_horovod(std::span<const hostinfo::HostFacts* const> hosts,
                                const std::string& network_interfaces, const Probe& probe);

}  // namespace lockstep::network
