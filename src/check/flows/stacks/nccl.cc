#include <algorithm>

#include <fmt/format.h>

#include "check/flows/stacks/stacks.h"
#include "network/choices/choice.h"

namespace lockstep::flows {
namespace {

using network::Choice;
using network::PortSet;

constexpr std::uint16_t kRoceVersion2 = 4791;

Choice choice_on(const JobHosts& hosts, std::size_t at) {
  const auto version = hosts[at].versions.find("nccl");
  return network::choose_nccl(
      hosts[at], hosts.environment(at),
      network::parse_version(version == hosts[at].versions.end() ? "2.21" : version->second));
}

// The rank that makes the unique id stands on the host of the store.
std::size_t creator_among(const JobHosts& hosts) {
  const std::string master = hosts.launch().text(config::Fields::kMasterAddress);
  const auto address = master.empty() ? std::nullopt : hosts.resolved(0, master);
  const auto host = address ? hosts.with_address(*address) : std::nullopt;
  return host.value_or(hosts.launching());
}

bool uses_rdma(const network::Environment& environment) {
  const auto value = [&](const char* name) { return network::variable_in(environment, name); };
  return value("NCCL_IB_DISABLE") != "1" && value("NCCL_NET") != "Socket";
}

// The IPv4 address that a RoCE GID stands for.
std::optional<base::Address> roce_address(const hostinfo::Gid& gid) {
  if (gid.type != "RoCE v2") return std::nullopt;
  const auto address = base::parse_address(gid.gid);
  if (!address || address->is_link_local() || address->is_wildcard()) return std::nullopt;
  return base::unmapped(*address);
}

std::optional<base::Address> first_roce_address(const hostinfo::HostFacts& host) {
  for (const hostinfo::RdmaDevice& device : host.rdma_devices) {
    for (const hostinfo::RdmaPort& port : device.ports) {
      if (port.state.find("ACTIVE") == std::string::npos || port.link_layer != "Ethernet") continue;
      for (const hostinfo::Gid& gid : port.gids) {
        const auto address = roce_address(gid);
        if (address && address->family == base::Family::kIpv4) return address;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

// Bootstrap uses the first interface that each host chooses, the Socket transport all of them: the second of
// one host meets the second of another.
void plan_nccl(const JobHosts& hosts, FlowPlan& plan) {
  std::vector<Choice> choices;
  std::size_t most = 0;
  for (std::size_t at = 0; at < hosts.size(); ++at) {
    choices.push_back(choice_on(hosts, at));
    most = std::max(most, choices[at].addresses.size());
    if (choices[at].failed())
      plan.limits.push_back(fmt::format("{}: {}", hosts[at].name, choices[at].failure));
  }
  const std::size_t creator = creator_among(hosts);
  for (std::size_t number = 0; number < most; ++number) {
    Mesh mesh;
    mesh.kind = FlowKind::kNcclData;
    mesh.creator = hosts.size();
    for (std::size_t at = 0; at < hosts.size(); ++at) {
      if (choices[at].addresses.size() <= number) continue;
      if (at == creator && number == 0) mesh.creator = mesh.ends.size();
      mesh.ends.push_back(
          {at, choices[at].addresses[number].address, network::ephemeral_port_set(hosts[at]), std::nullopt});
    }
    plan.meshes.push_back(std::move(mesh));
  }
}

// RDMA passes by the kernel's firewall, but a RoCE address is reached by its routes.
void plan_rdma(const JobHosts& hosts, FlowPlan& plan) {
  std::vector<std::optional<base::Address>> own;
  for (std::size_t at = 0; at < hosts.size(); ++at)
    own.push_back(uses_rdma(hosts.environment(at)) ? first_roce_address(hosts[at]) : std::nullopt);
  for (std::size_t source = 0; source < hosts.size(); ++source) {
    const std::size_t next = (source + 1) % hosts.size();
    if (!own[source] || !own[next] || next == source) continue;
    network::Flow flow;
    flow.source = own[source];
    flow.destination = *own[next];
    flow.ports = PortSet::one(kRoceVersion2);
    flow.protocol = network::kUdp;
    flow.passes_firewall = false;
    plan.flows.push_back({FlowKind::kRdma, source, next, std::move(flow)});
  }
}

}  // namespace lockstep::flows
