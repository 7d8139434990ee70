// Which connections a launch needs between which hosts: the flow model of the stacks, from the addresses that
// the libraries would choose there.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "config/settings.h"
#include "network/host_facts.h"
#include "network/reach.h"

namespace lockstep::preflight {

enum class Purpose { kStore, kNccl, kGloo, kMpi, kTensorflow };

struct RequiredFlow {
  Purpose purpose = Purpose::kStore;
  std::size_t source = 0;  // places among the hosts
  std::size_t destination = 0;
  network::Flow flow;
};

struct FlowPlan {
  std::vector<RequiredFlow> flows;
  std::vector<std::string> limits;  // what could not be told: "n3: no interface for NCCL"
};

FlowPlan plan_flows(const config::Settings& launch, std::span<const network::HostFacts> hosts);

}  // namespace lockstep::preflight
