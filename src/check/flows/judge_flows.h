// Whether the connections that a launch needs come about between the hosts: what is blocked becomes findings
// with a packet that shows it and the object that decides.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/flows/host_matrix.h"
#include "check/flows/required_flows.h"
#include "config/configuration.h"
#include "hostinfo/host_facts.h"
#include "model/finding.h"

namespace lockstep::flows {

struct FlowJudgement {
  std::vector<model::Finding> findings;
  std::vector<std::string_view> stacks;  // of each finding: whose connections they are
  HostMatrix matrix;                     // empty when nothing is blocked
  std::vector<std::string> limits;       // what could not be told
};

// What the first launch needs between the hosts; nothing for a job on one host.
FlowPlan plan_flows(const config::Configuration& configuration, std::span<const hostinfo::HostFacts> hosts);

// Nothing is judged for a job on one host.
FlowJudgement judge_flows(const config::Configuration& configuration,
                          std::span<const hostinfo::HostFacts> hosts);

}  // namespace lockstep::flows
