#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "network/choices/choice.h"
#include "network/route_lookup.h"

namespace lockstep::network {
namespace {

bool has_address(const hostinfo::Interface* interface, const base::Address& address) {
  return interface != nullptr &&
         std::ranges::any_of(interface->addresses, [&](const hostinfo::InterfaceAddress& own) {
           return own.prefix.address == address;
         });
}

// Names of interfaces of `to` that `from` reaches from an interface of the same name. At an address that both
// have (docker0 everywhere) a host finds itself.
std::set<std::string> found_names(std::span<const hostinfo::HostFacts* const> hosts, std::size_t from,
                                  std::size_t to, const Probe& probe) {
  std::set<std::string> names;
  for (const hostinfo::Interface& interface : hosts[to]->interfaces) {
    for (const hostinfo::InterfaceAddress& address : interface.addresses) {
      const base::Address& target = address.prefix.address;
      if (target.family != base::Family::kIpv4 || hosts[from]->interface_with(target) != nullptr) continue;
      const auto source = probe(from, to, target);
      if (source && has_address(hosts[from]->interface_named(interface.name), *source))
        names.insert(interface.name);
    }
  }
  return names;
}

}  // namespace

CommonInterfaces choose_horovod(std::span<const hostinfo::HostFacts* const> hosts,
                                const std::string& network_interfaces, const Probe& probe) {
  CommonInterfaces common;
  if (!network_interfaces.empty()) {
    for (const std::string_view name : split_list(network_interfaces)) common.names.emplace_back(name);
    std::ranges::sort(common.names);
    common.trail.push_back({"given, so nothing is probed", "--network-interfaces"});
    return common;
  }
  if (hosts.size() < 2) {
    common.names = {"lo"};
    common.trail.push_back({"there is one host", "hosts"});
    return common;
  }
  std::set<std::string> names;
  for (std::size_t from = 0; from < hosts.size(); ++from) {
    const std::size_t to = (from + 1) % hosts.size();
    const std::set<std::string> found = found_names(hosts, from, to, probe);
    common.trail.push_back(
        {fmt::format("{} reaches {} by {}", hosts[from]->name, hosts[to]->name,
                     found.empty() ? "nothing" : fmt::format("{}", fmt::join(found, ", "))),
         "probe of the ring"});
    std::set<std::string> both;
    std::ranges::set_intersection(names, found, std::inserter(both, both.end()));
    names = from == 0 ? found : both;
  }
  common.names.assign(names.begin(), names.end());
  if (names.empty()) common.failure = "Unable to find a set of common task-to-task communication interfaces";
  return common;
}

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
