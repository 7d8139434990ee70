// Whether the connections that a launch needs come about between the hosts: what is blocked becomes findings
// with a packet that shows it and the object that decides.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/configuration.h"
#include "model/finding.h"
#include "network/host_facts.h"
#include "preflight/host_matrix.h"

namespace lockstep::preflight {

struct FlowJudgement {
  std::vector<model::Finding> findings;
  HostMatrix matrix;                // empty when nothing is blocked
  std::vector<std::string> limits;  // what could not be told
};

// Nothing is judged for a job on one host.
FlowJudgement judge_flows(const config::Configuration& configuration,
                          std::span<const network::HostFacts> hosts);

}  // namespace lockstep::preflight
