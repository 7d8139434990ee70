// Which connections a launch needs between which hosts: the flow model of the stacks, from the addresses that
// the libraries would choose there.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/flows/flow_kinds.h"
#include "config/settings.h"
#include "hostinfo/host_facts.h"
#include "network/reach.h"

namespace lockstep::flows {

struct RequiredFlow {
  FlowKind kind = FlowKind::kStore;
  std::size_t source = 0;  // places among the hosts
  std::size_t destination = 0;
  network::Flow flow;
};

// Every host to every other: thousands of hosts would make too many single flows.
struct Mesh {
  struct End {
    std::size_t host = 0;
    base::Address address = {};               // where the others find it
    network::PortSet ports = {};              // where it listens
    std::optional<base::Address> bound = {};  // from which it connects; empty: its routes choose
  };
  enum class Direction { kBoth, kLargerConnects };

  FlowKind kind = FlowKind::kGloo;
  Direction direction = Direction::kBoth;
  std::size_t creator = 0;  // NCCL: the end that made the id; what leads there or from there has another kind
  std::vector<End> ends = {};

  // Of the connection between two ends; nothing where it is not made.
  std::optional<FlowKind> kind_of(std::size_t source, std::size_t destination) const;
  RequiredFlow flow(std::size_t source, std::size_t destination) const;
};

struct FlowPlan {
  std::vector<RequiredFlow> flows;
  std::vector<Mesh> meshes;
  std::vector<std::string> limits;  // what could not be told: "n3: no interface for NCCL"
};

// Of as many launches as hosts each gives the variables of its host; otherwise the first gives those of all.
FlowPlan plan_flows(std::span<const config::Settings> launches, std::span<const hostinfo::HostFacts> hosts);
inline FlowPlan plan_flows(const config::Settings& launch, std::span<const hostinfo::HostFacts> hosts) {
  return plan_flows(std::span(&launch, 1), hosts);
}

}  // namespace lockstep::flows
