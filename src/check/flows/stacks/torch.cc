#include <fmt/format.h>

#include "check/flows/stacks/stacks.h"
#include "network/choices/choice.h"

namespace lockstep::flows {
namespace {

using base::Address;
using config::Fields;
using network::Choice;
using network::PortSet;

std::optional<PortSet> one_port(std::optional<std::int64_t> port) {
  if (!port || *port < 1 || *port > 65535) return std::nullopt;
  return PortSet::one(static_cast<std::uint16_t>(*port));
}

// By the name as each host resolves it in the way of PyTorch's store.
void plan_to_named(const JobHosts& hosts, FlowKind kind, const std::string& name, const PortSet& ports,
                   FlowPlan& plan) {
  for (std::size_t source = 0; source < hosts.size(); ++source) {
    const Choice choice = network::choose_store(hosts[source], name);
    if (choice.failed()) {
      plan.limits.push_back(fmt::format("{}: {}", hosts[source].name, choice.failure));
      continue;
    }
    const Address address = base::unmapped(choice.addresses.front().address);
    const auto target = hosts.with_address(address);
    if (!target) {
      plan.limits.push_back(fmt::format("no host of the facts has {}, the address of {} on {}",
                                        base::to_text(address), name, hosts[source].name));
      return;
    }
    if (*target == source || address.is_loopback()) continue;
    network::Flow flow;
    flow.destination = address;
    flow.ports = ports;
    plan.flows.push_back({kind, source, *target, std::move(flow)});
  }
}

}  // namespace

void plan_store(const JobHosts& hosts, FlowPlan& plan) {
  const std::string master = hosts.launch().text(Fields::kMasterAddress);
  const auto ports = one_port(hosts.launch().number(Fields::kMasterPort));
  if (!master.empty() && ports) plan_to_named(hosts, FlowKind::kStore, master, *ports, plan);
}

void plan_rendezvous(const JobHosts& hosts, FlowPlan& plan) {
  const config::LaunchConfig& launch = hosts.launch();
  const std::string endpoint = launch.text(Fields::kRendezvousHost);
  const auto ports = one_port(launch.number(Fields::kMasterPort));
  if (endpoint.empty() || !ports) return;
  plan_to_named(hosts, FlowKind::kRendezvous, endpoint, *ports, plan);
  // Which agent becomes node 0 is decided by who comes first; the endpoint's host is as good as any.
  const auto first = hosts.resolved(0, endpoint);
  const auto node = first ? hosts.with_address(*first) : hosts.named(endpoint);
  if (!node) return;
  const std::string given = launch.text(Fields::kTorchrunLocalAddress);
  const std::string& full = hosts[*node].full_name;
  const std::string name = !given.empty() ? given : full.empty() ? hosts[*node].name : full;
  const PortSet free = network::ephemeral_port_set(hosts[*node]);
  for (std::size_t source = 0; source < hosts.size(); ++source) {
    const auto address = source == *node ? std::nullopt : hosts.resolved(source, name);
    if (!address || hosts.with_address(*address) != *node || address->is_loopback()) continue;
    network::Flow flow;
    flow.destination = *address;
    flow.ports = free;
    plan.flows.push_back({FlowKind::kWorkerStore, source, *node, std::move(flow)});
  }
}

void plan_gloo(const JobHosts& hosts, FlowPlan& plan) {
  Mesh mesh;
  mesh.kind = FlowKind::kGloo;
  mesh.direction = Mesh::Direction::kLargerConnects;
  const bool is_horovod = hosts.launch().has(Fields::kHorovod);
  for (std::size_t at = 0; at < hosts.size(); ++at) {
    network::Environment environment = hosts.environment(at);
    // Horovod hands Gloo the interface by a variable of its own.
    if (is_horovod && environment.contains("HOROVOD_GLOO_IFACE"))
      environment["GLOO_SOCKET_IFNAME"] = environment["HOROVOD_GLOO_IFACE"];
    const Choice choice = network::choose_gloo(hosts[at], environment);
    if (choice.failed()) {
      plan.limits.push_back(fmt::format("{}: {}", hosts[at].name, choice.failure));
      continue;
    }
    mesh.ends.push_back(
        {at, choice.addresses.front().address, network::ephemeral_port_set(hosts[at]), std::nullopt});
  }
  plan.meshes.push_back(std::move(mesh));
}

}  // namespace lockstep::flows
