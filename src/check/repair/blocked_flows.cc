#include "check/repair/blocked_flows.h"

#include <thread>

#include "network/pairs.h"

namespace lockstep::repair {
namespace {

void tell_if_blocked(const flows::RequiredFlow& flow, const network::ReachHosts& hosts,
                     const OnBlocked& found) {
  const auto verdict = network::judge_flow(hosts.at(flow.source), hosts.at(flow.destination), flow.flow);
  if (verdict.reach == network::Reach::kBlocked) found(flow, verdict);
}

}  // namespace

void each_blocked(const flows::FlowPlan& plan, const network::ReachHosts& hosts, const OnBlocked& found) {
  for (const flows::RequiredFlow& flow : plan.flows) tell_if_blocked(flow, hosts, found);
  for (const flows::Mesh& mesh : plan.meshes) {
    std::vector<network::Endpoint> ends;
    for (const flows::Mesh::End& end : mesh.ends)
      ends.push_back({end.host, end.address, end.ports, end.bound});
    const auto pairs = network::judge_pairs(hosts, ends, std::thread::hardware_concurrency());
    for (std::size_t source = 0; source < ends.size(); ++source)
      for (std::size_t to = 0; to < ends.size(); ++to)
        if (source != to && pairs.at(source, to) == network::Reach::kBlocked && mesh.kind_of(source, to))
          tell_if_blocked(mesh.flow(source, to), hosts, found);
  }
}

}  // namespace lockstep::repair
