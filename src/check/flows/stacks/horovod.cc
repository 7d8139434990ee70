#include <fmt/format.h>

#include "check/flows/stacks/stacks.h"
#include "network/choices/choice.h"

namespace lockstep::flows {
namespace {

using base::Address;
using config::Fields;
using hostinfo::HostFacts;

std::optional<Address> address_on(const HostFacts& host, const std::string& interface) {
  const hostinfo::Interface* const found = host.interface_named(interface);
  if (found == nullptr) return std::nullopt;
  for (const hostinfo::InterfaceAddress& own : found->addresses)
    if (own.prefix.address.family == base::Family::kIpv4) return own.prefix.address;
  return std::nullopt;
}

// The first that all hosts have.
std::string first_common(const JobHosts& hosts) {
  for (const hostinfo::Interface& interface : hosts[0].interfaces) {
    bool is_common = !interface.is_loopback;
    for (std::size_t at = 0; is_common && at < hosts.size(); ++at)
      is_common = address_on(hosts[at], interface.name).has_value();
    if (is_common) return interface.name;
  }
  return "";
}

}  // namespace

// Where horovodrun's own probes meet nobody, connections over the first interface that all hosts have are
// what it fails at; the rules tell of names that differ.
void plan_horovod(const JobHosts& hosts, FlowPlan& plan) {
  const network::CommonInterfaces common = network::choose_horovod(
      network::ReachHosts(hosts.facts()), hosts.launch().text(Fields::kHorovodInterfaces));
  if (!common.failure.empty()) plan.limits.push_back("horovodrun: " + common.failure);
  const std::string interface = common.names.empty() ? first_common(hosts) : common.names.front();
  const std::size_t driver = hosts.launching();
  const auto at_driver = address_on(hosts[driver], interface);
  if (!at_driver) return;
  const network::PortSet ports{network::kHorovodPorts};
  const auto add = [&](FlowKind kind, std::size_t source, std::size_t destination) {
    const auto address = address_on(hosts[destination], interface);
    if (!address || source == destination) return;
    network::Flow flow;
    flow.destination = *address;
    flow.ports = ports;
    plan.flows.push_back({kind, source, destination, std::move(flow)});
  };
  plan_star(hosts, FlowKind::kHorovodServices, driver, *at_driver, ports, plan);
  for (std::size_t at = 0; at < hosts.size(); ++at) {
    add(FlowKind::kHorovodServices, driver, at);
    const std::size_t next = (at + 1) % hosts.size();
    if (at != driver && next != driver) add(FlowKind::kHorovodServices, at, next);
  }
  if (!hosts.launch().has(Fields::kHorovodOverMpi))
    plan_star(hosts, FlowKind::kHorovodRendezvous, driver, *at_driver, ports, plan);
}

}  // namespace lockstep::flows
