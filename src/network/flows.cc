#include "network/flows.h"

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "network/choices/nccl.h"
#include "network/choices/open_mpi.h"
#include "network/choices/tensorflow.h"
#include "network/choices/torch.h"

namespace lockstep::network {
namespace {

PortSet any_port_of(const HostFacts& facts) {
  const PortRange range = ephemeral_ports(facts);
  return PortSet{{range.first, range.last}};
}

std::optional<std::size_t> holder_of(std::span<const JobHost> hosts, const Address& address) {
  for (std::size_t at = 0; at < hosts.size(); ++at)
    if (hosts[at].facts->interface_with(address) != nullptr) return at;
  return std::nullopt;
}

// What each host chooses; those that fail become troubles and have no address.
std::vector<std::optional<Address>> chosen_by(std::span<const JobHost> hosts,
                                              const std::function<Choice(const JobHost&)>& choose,
                                              RequiredFlows& required) {
  std::vector<std::optional<Address>> chosen;
  for (const JobHost& host : hosts) {
    const Choice choice = choose(host);
    chosen.push_back(choice.failed() ? std::nullopt : std::optional(choice.addresses.front().address));
    if (choice.failed()) required.troubles.push_back(fmt::format("{}: {}", host.facts->name, choice.failure));
  }
  return chosen;
}

void require(RequiredFlows& required, const char* id, const char* what, std::size_t source,
             std::size_t destination, const std::optional<Address>& from, const Address& to, PortSet ports) {
  RequiredFlow made{.id = id, .what = what, .source = source, .destination = destination};
  made.flow.source = from;
  made.flow.destination = to;
  made.flow.ports = std::move(ports);
  required.flows.push_back(std::move(made));
}

}  // namespace

RequiredFlows store_flows(std::span<const JobHost> hosts, std::size_t master, const std::string& name,
                          std::uint16_t port) {
  RequiredFlows required;
  const auto addresses = chosen_by(
      hosts, [&](const JobHost& host) { return choose_store(*host.facts, name); }, required);
  for (std::size_t at = 0; at < hosts.size(); ++at) {
    if (at == master || !addresses[at]) continue;
    const auto holder = holder_of(hosts, *addresses[at]);
    require(required, "FL1", "every rank connects to the store", at, holder.value_or(master), {},
            *addresses[at], PortSet::one(port));
  }
  return required;
}

RequiredFlows gloo_flows(std::span<const JobHost> hosts) {
  RequiredFlows required;
  const auto own = chosen_by(
      hosts, [](const JobHost& host) { return choose_gloo(*host.facts, host.environment); }, required);
  for (std::size_t left = 0; left < hosts.size(); ++left) {
    for (std::size_t right = left + 1; right < hosts.size(); ++right) {
      if (!own[left] || !own[right]) continue;
      if (own[left]->family != own[right]->family) {
        required.troubles.push_back(fmt::format("{} has {} and {} has {}: Gloo needs one family",
                                                hosts[left].facts->name, to_text(*own[left]),
                                                hosts[right].facts->name, to_text(*own[right])));
        continue;
      }
      // Equal addresses (both on loopback) leave the direction to chance: both must be open.
      const auto connects = gloo_connects(*own[left], *own[right]);
      if (connects.value_or(true))
        require(required, "FL8", "Gloo connects every pair of ranks", left, right, {}, *own[right],
                any_port_of(*hosts[right].facts));
      if (!connects.value_or(false))
        require(required, "FL8", "Gloo connects every pair of ranks", right, left, {}, *own[left],
                any_port_of(*hosts[left].facts));
    }
  }
  return required;
}

RequiredFlows nccl_flows(std::span<const JobHost> hosts, LibraryVersion version) {
  RequiredFlows required;
  const auto own = chosen_by(
      hosts, [&](const JobHost& host) { return choose_nccl(*host.facts, host.environment, version); },
      required);
  std::set<std::pair<std::size_t, std::size_t>> seen;
  // The connecting side is left to its routes, so the flow has no source address.
  const auto add = [&](const char* id, const char* what, std::size_t from, std::size_t to) {
    if (from == to || !own[from] || !own[to] || !seen.insert({from, to}).second) return;
    require(required, id, what, from, to, {}, *own[to], any_port_of(*hosts[to].facts));
  };
  for (std::size_t at = 0; at < hosts.size(); ++at) {
    add("FL4", "every rank reports to the creator of NCCL's id", at, 0);
    add("FL5", "the creator of NCCL's id answers every rank by a new connection", 0, at);
    add("FL5", "NCCL's ranks connect to their neighbours", at, (at + 1) % hosts.size());
    add("FL5", "NCCL's ranks connect to their neighbours", (at + 1) % hosts.size(), at);
  }
  return required;
}

RequiredFlows open_mpi_flows(std::span<const JobHost> hosts) {
  RequiredFlows required;
  const auto own = chosen_by(
      hosts, [](const JobHost& host) { return choose_open_mpi(*host.facts, host.environment); }, required);
  for (std::size_t source = 0; source < hosts.size(); ++source) {
    for (std::size_t destination = 0; destination < hosts.size(); ++destination) {
      if (source == destination || !own[source] || !own[destination]) continue;
      const Environment& environment = hosts[destination].environment;
      const auto first =
          base::number_in<std::uint16_t>(variable_in(environment, "OMPI_MCA_btl_tcp_port_min_v4"));
      const auto range =
          base::number_in<std::uint16_t>(variable_in(environment, "OMPI_MCA_btl_tcp_port_range_v4"));
      const std::uint16_t begin = first.value_or(1024);
      // Without a range it takes the first free port from there on, so the first hundred stand for all.
      const int end = std::min(65535, begin + std::max(1, static_cast<int>(range.value_or(100))) - 1);
      require(required, "FL12", "any two ranks of Open MPI may connect", source, destination, own[source],
              *own[destination], PortSet{{begin, static_cast<std::uint16_t>(end)}});
    }
  }
  return required;
}

RequiredFlows tensorflow_flows(std::span<const JobHost> hosts) {
  RequiredFlows required;
  for (std::size_t source = 0; source < hosts.size(); ++source) {
    const TensorflowChoice choice = choose_tensorflow(*hosts[source].facts, hosts[source].environment);
    const std::string& name = hosts[source].facts->name;
    if (!choice.failure.empty()) required.troubles.push_back(fmt::format("{}: {}", name, choice.failure));
    for (const TensorflowTask& task : choice.tasks) {
      if (task.is_own) continue;
      if (task.addresses.empty()) {
        required.troubles.push_back(fmt::format("{}: {} does not resolve", name, task.endpoint));
        continue;
      }
      const auto holder = holder_of(hosts, task.addresses.front());
      if (!holder) {
        required.troubles.push_back(
            fmt::format("{}: {} is no host of the job", name, to_text(task.addresses.front())));
        continue;
      }
      require(required, "FL13", "every task of TensorFlow connects to every other", source, *holder, {},
              task.addresses.front(), PortSet::one(task.port));
    }
  }
  return required;
}

}  // namespace lockstep::network
