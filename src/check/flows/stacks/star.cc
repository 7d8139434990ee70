#include "check/flows/stacks/stacks.h"

namespace lockstep::flows {

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

}  // namespace lockstep::flows
