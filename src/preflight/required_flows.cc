#include "preflight/required_flows.h"

#include <algorithm>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "network/choices/nccl.h"
#include "network/choices/open_mpi.h"
#include "network/choices/tensorflow.h"
#include "network/choices/torch.h"

namespace lockstep::preflight {
namespace {

using network::Address;
using network::Choice;
using network::HostFacts;
using network::PortSet;

constexpr std::uint16_t kFirstUnprivileged = 1024;

// What a rank has on the host: the host's own variables, those of the launch above them.
network::Environment environment_on(const HostFacts& host, const config::Settings& launch) {
  network::Environment environment = host.environment;
  const base::Json* given = launch.find("env");
  if (given != nullptr && given->is_object()) {
    for (const auto& [name, value] : given->items()) {
      if (value.is_string()) environment[name] = value.get<std::string>();
    }
  }
  const base::Json* parameters = launch.find("mpi/mca");
  if (parameters != nullptr && parameters->is_object()) {
    for (const auto& [name, value] : parameters->items()) {
      if (value.is_string()) environment["OMPI_MCA_" + name] = value.get<std::string>();
    }
  }
  return environment;
}

class Planner {
 public:
  Planner(const config::Settings& launch, std::span<const HostFacts> hosts)
      : launch_(launch), hosts_(hosts) {}

  FlowPlan plan() {
    const bool is_mpi = launch_.has("mpi") || launch_.has("horovod/mpi");
    if (launch_.has("tf/cluster")) {
      plan_tensorflow();
    } else if (is_mpi) {
      plan_chosen(Purpose::kMpi, [](const HostFacts& host, const network::Environment& environment) {
        return network::choose_open_mpi(host, environment);
      });
    } else {
      plan_store();
    }
    if (!launch_.has("tf/cluster")) plan_ranks();
    return std::move(plan_);
  }

 private:
  void add(Purpose purpose, std::size_t source, std::size_t destination, const Address& address,
           PortSet ports) {
    network::Flow flow;
    flow.destination = address;
    flow.ports = std::move(ports);
    plan_.flows.push_back({purpose, source, destination, std::move(flow)});
  }

  std::optional<std::size_t> host_with(const Address& address) const {
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      if (hosts_[i].interface_with(address) != nullptr) return i;
    }
    return std::nullopt;
  }

  // Every host to the one that serves the store.
  void plan_store() {
    const std::string master = launch_.text("job/master_addr");
    const auto port = launch_.number("job/master_port");
    if (master.empty() || !port || *port < 1 || *port > 65535) return;
    for (std::size_t source = 0; source < hosts_.size(); ++source) {
      const Choice choice = network::choose_store(hosts_[source], master);
      if (choice.failed()) {
        plan_.limits.push_back(fmt::format("{}: {}", hosts_[source].name, choice.failure));
        continue;
      }
      const Address address = network::unmapped(choice.addresses.front().address);
      const auto target = host_with(address);
      if (!target) {
        plan_.limits.push_back(fmt::format("no host of the facts has {}, the address of {} on {}",
                                           network::to_text(address), master, hosts_[source].name));
        return;
      }
      if (*target == source || address.is_loopback()) continue;
      add(Purpose::kStore, source, *target, address, PortSet::one(static_cast<std::uint16_t>(*port)));
    }
  }

  // NCCL between hosts with GPUs, Gloo between the others.
  void plan_ranks() {
    const bool have_gpus =
        std::ranges::any_of(hosts_, [](const HostFacts& host) { return !host.gpus.gpus.empty(); });
    if (have_gpus) {
      plan_chosen(Purpose::kNccl, [](const HostFacts& host, const network::Environment& environment) {
        const auto version = host.versions.find("nccl");
        return network::choose_nccl(
            host, environment,
            network::parse_version(version == host.versions.end() ? "2.21" : version->second));
      });
    } else if (!launch_.has("mpi") && !launch_.has("horovod/mpi")) {
      plan_chosen(Purpose::kGloo, [](const HostFacts& host, const network::Environment& environment) {
        return network::choose_gloo(host, environment);
      });
    }
  }

  using Choose = std::function<Choice(const HostFacts& host, const network::Environment& environment)>;

  void plan_chosen(Purpose purpose, const Choose& choose) {
    std::vector<std::optional<Address>> addresses;
    for (const HostFacts& host : hosts_) {
      const Choice choice = choose(host, environment_on(host, launch_));
      addresses.push_back(choice.failed() ? std::nullopt : std::optional(choice.addresses.front().address));
      if (choice.failed()) plan_.limits.push_back(fmt::format("{}: {}", host.name, choice.failure));
    }
    for (std::size_t source = 0; source < hosts_.size(); ++source) {
      for (std::size_t target = 0; target < hosts_.size(); ++target) {
        if (source == target || !addresses[source] || !addresses[target]) continue;
        // Of each pair of Gloo one side connects.
        if (purpose == Purpose::kGloo &&
            !network::gloo_connects(*addresses[source], *addresses[target]).value_or(true))
          continue;
        add(purpose, source, target, *addresses[target], listening_ports(purpose, hosts_[target]));
      }
    }
  }

  static PortSet listening_ports(Purpose purpose, const HostFacts& host) {
    if (purpose == Purpose::kMpi) return PortSet{{kFirstUnprivileged, 65535}};
    const network::PortRange range = network::ephemeral_ports(host);
    return PortSet{{range.first, range.last}};
  }

  void plan_tensorflow() {
    for (std::size_t source = 0; source < hosts_.size(); ++source) {
      const auto choice = network::choose_tensorflow(hosts_[source], environment_on(hosts_[source], launch_));
      for (const network::TensorflowTask& task : choice.tasks) {
        if (task.is_own || task.goes_through_proxy || task.addresses.empty()) continue;
        const auto target = host_with(task.addresses.front());
        if (!target || *target == source) continue;
        add(Purpose::kTensorflow, source, *target, task.addresses.front(), PortSet::one(task.port));
      }
    }
  }

  const config::Settings& launch_;
  std::span<const HostFacts> hosts_;
  FlowPlan plan_;
};

}  // namespace

FlowPlan plan_flows(const config::Settings& launch, std::span<const HostFacts> hosts) {
  return Planner(launch, hosts).plan();
}

}  // namespace lockstep::preflight
