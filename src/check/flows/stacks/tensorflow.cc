#include "network/choices/tensorflow.h"

#include <fmt/format.h>

#include "check/flows/stacks/stacks.h"

namespace lockstep::flows {

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
