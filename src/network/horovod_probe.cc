#include "network/horovod_probe.h"

#include "network/route_lookup.h"

namespace lockstep::network {

CommonInterfaces choose_horovod(const ReachHosts& hosts, const std::string& network_interfaces) {
  std::vector<const hostinfo::HostFacts*> facts;
  for (std::size_t at = 0; at < hosts.size(); ++at) facts.push_back(&hosts.facts(at));
  const auto probe = [&](std::size_t from, std::size_t to,
                         const base::Address& address) -> std::optional<base::Address> {
    Flow flow;
    flow.destination = address;
    flow.ports = PortSet{kHorovodPorts};
    if (judge_flow(hosts.at(from), hosts.at(to), flow).reach == Reach::kBlocked) return std::nullopt;
    return look_up_route(hosts.facts(from), address, {}).source;
  };
  return choose_horovod(facts, network_interfaces, probe);
}

}  // namespace lockstep::network
