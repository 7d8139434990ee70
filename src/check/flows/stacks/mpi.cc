#include <algorithm>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "check/flows/stacks/stacks.h"
#include "network/choices/choice.h"

namespace lockstep::flows {
namespace {

using network::PortSet;

// It takes the first free port from there on, so a hundred stand for all that a host's ranks will take.
constexpr std::uint16_t kFirstPort = 1024;
constexpr int kPortsOfAHost = 100;

PortSet data_ports(const network::Environment& environment) {
  const auto number = [&](const char* name) {
    return base::number_in<std::uint16_t>(network::variable_in(environment, name));
  };
  const std::uint16_t first = number("OMPI_MCA_btl_tcp_port_min_v4").value_or(kFirstPort);
  const int range = number("OMPI_MCA_btl_tcp_port_range_v4").value_or(kPortsOfAHost);
  const int last = std::min(65535, first + std::clamp(range, 1, kPortsOfAHost) - 1);
  return PortSet{{first, static_cast<std::uint16_t>(last)}};
}

// "oob_tcp_dynamic_ipv4_ports" is one range, "10000-10010"; a list of them is left to the reader of the rule.
PortSet daemon_ports(const JobHosts& hosts, std::size_t at) {
  const std::string_view given =
      network::variable_in(hosts.environment(at), "OMPI_MCA_oob_tcp_dynamic_ipv4_ports");
  const std::size_t dash = given.find('-');
  const auto first = base::number_in<std::uint16_t>(given.substr(0, dash));
  const auto last =
      dash == std::string_view::npos ? first : base::number_in<std::uint16_t>(given.substr(dash + 1));
  if (first && last && *first <= *last) return PortSet{{*first, *last}};
  return network::ephemeral_port_set(hosts[at]);
}

// Daemons choose as the transport does, by parameters of their own.
network::Choice daemon_choice(const JobHosts& hosts, std::size_t at) {
  network::Environment environment = hosts.environment(at);
  for (const char* word : {"include", "exclude"}) {
    const std::string name = fmt::format("OMPI_MCA_oob_tcp_if_{}", word);
    const std::string own = fmt::format("OMPI_MCA_btl_tcp_if_{}", word);
    const auto given = environment.find(name);
    if (given == environment.end()) {
      environment.erase(own);
    } else {
      environment[own] = given->second;
    }
  }
  return network::choose_open_mpi(hosts[at], environment);
}

}  // namespace

// A daemon tries every address that mpirun tells it until one answers: one that all reach is enough.
void plan_mpi_daemons(const JobHosts& hosts, FlowPlan& plan) {
  const std::size_t launching = hosts.launching();
  const network::Choice choice = daemon_choice(hosts, launching);
  if (choice.addresses.size() != 1) return;
  plan_star(hosts, FlowKind::kMpiDaemons, launching, choice.addresses.front().address,
            daemon_ports(hosts, launching), plan);
}

void plan_mpi(const JobHosts& hosts, FlowPlan& plan) {
  Mesh mesh;
  mesh.kind = FlowKind::kMpi;
  for (std::size_t at = 0; at < hosts.size(); ++at) {
    const network::Choice choice = network::choose_open_mpi(hosts[at], hosts.environment(at));
    if (choice.failed()) {
      plan.limits.push_back(fmt::format("{}: {}", hosts[at].name, choice.failure));
      continue;
    }
    const base::Address& own = choice.addresses.front().address;
    mesh.ends.push_back({at, own, data_ports(hosts.environment(at)), own});
  }
  plan.meshes.push_back(std::move(mesh));
}

}  // namespace lockstep::flows
