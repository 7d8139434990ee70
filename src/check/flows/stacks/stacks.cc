#include "check/flows/stacks/stacks.h"

#include <fmt/format.h>

namespace lockstep::flows {
namespace {

using config::Fields;
using network::PortSet;

// "60001-63000" of slurm.conf, where the facts have the file.
std::optional<PortSet> srun_ports(const hostinfo::HostFacts& host) {
  const auto file = host.files.find("/etc/slurm/slurm.conf");
  if (file == host.files.end()) return std::nullopt;
  constexpr std::string_view kName = "SrunPortRange=";
  const std::size_t begin = file->second.find(kName);
  if (begin == std::string::npos) return std::nullopt;
  unsigned first = 0;
  unsigned last = 0;
  if (std::sscanf(file->second.c_str() + begin + kName.size(), "%u-%u", &first, &last) != 2)
    return std::nullopt;
  if (first == 0 || first > last || last > 65535) return std::nullopt;
  return PortSet{{static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(last)}};
}

}  // namespace

void plan_remote_shell(const JobHosts& hosts, std::int64_t port, FlowPlan& plan) {
  if (port < 1 || port > 65535) return;
  const config::LaunchConfig& launch = hosts.launch();
  const std::size_t from = hosts.launching();
  for (std::size_t at = 0; at < launch.count(Fields::kHostList); ++at) {
    std::string name = launch.text(Fields::host_name(at));
    name = name.substr(name.find('@') + 1);
    const auto address = hosts.resolved(from, name);
    const auto target = address ? hosts.with_address(*address) : std::nullopt;
    if (!target || *target == from || address->is_loopback()) continue;
    network::Flow flow;
    flow.destination = *address;
    flow.ports = PortSet::one(static_cast<std::uint16_t>(port));
    plan.flows.push_back({FlowKind::kRemoteShell, from, *target, std::move(flow)});
  }
}

void plan_slurm(const JobHosts& hosts, FlowPlan& plan) {
  const std::size_t from = hosts.launching();
  const std::string& name = hosts[from].name;
  const PortSet ports = srun_ports(hosts[from]).value_or(network::ephemeral_port_set(hosts[from]));
  for (std::size_t source = 0; source < hosts.size(); ++source) {
    const auto address = hosts.resolved(source, name);
    if (source == from || !address || hosts.with_address(*address) != from) continue;
    network::Flow flow;
    flow.destination = *address;
    flow.ports = ports;
    plan.flows.push_back({FlowKind::kSlurmStep, source, from, std::move(flow)});
  }
}

void plan_star(const JobHosts& hosts, FlowKind kind, std::size_t destination, const base::Address& address,
               const network::PortSet& ports, FlowPlan& plan) {
  for (std::size_t source = 0; source < hosts.size(); ++source) {
    if (source == destination) continue;
    network::Flow flow;
    flow.destination = address;
    flow.ports = ports;
    plan.flows.push_back({kind, source, destination, std::move(flow)});
  }
}

void plan_tensorflow(const JobHosts& hosts, FlowPlan& plan) {
  for (std::size_t source = 0; source < hosts.size(); ++source) {
    const auto choice = network::choose_tensorflow(hosts[source], hosts.environment(source));
    for (const network::TensorflowTask& task : choice.tasks) {
      if (task.is_own || task.goes_through_proxy || task.addresses.empty()) continue;
      const auto target = hosts.with_address(task.addresses.front());
      if (!target) {
        plan.limits.push_back(fmt::format("no host of the facts has {}, the address of {} on {}",
                                          base::to_text(task.addresses.front()), task.endpoint,
                                          hosts[source].name));
        continue;
      }
      if (*target == source) continue;
      network::Flow flow;
      flow.destination = task.addresses.front();
      flow.ports = network::PortSet::one(task.port);
      plan.flows.push_back({FlowKind::kTensorflow, source, *target, std::move(flow)});
    }
  }
}

}  // namespace lockstep::flows
