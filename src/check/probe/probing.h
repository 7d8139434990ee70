// The connections of a launch tried for real, by agents that are there.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "check/flows/required_flows.h"
#include "check/probe/agents.h"
#include "check/probe/trials.h"
#include "hostinfo/host_facts.h"

namespace lockstep::probe {

struct ProbeOptions {
  bool measures = false;  // latency and bandwidth of every pair
  // Called as outcomes come: so many of all connections are decided, or of all pairs measured.
  std::function<void(std::string_view what, std::size_t done, std::size_t all)> on_progress = {};
};

// Between two hosts, on a way that is open.
struct Measure {
  std::size_t source = 0;
  std::size_t destination = 0;
  std::uint64_t latency_ns = 0;
  std::uint64_t bytes_per_s = 0;
};

struct Probing {
  TrialPlan plan = {};    // each trial with its outcome
  std::size_t hosts = 0;  // that have an agent
  std::chrono::milliseconds took{0};
  std::vector<Measure> measures = {};
  std::vector<std::string> limits = {};
};

// Waits until `count` agents have spoken, or all that were started have spoken or gone.
bool await_agents(Agents& agents, std::size_t count, std::chrono::seconds time);

// Facts as JSON, by the agents' numbers; agents that do not answer in time are left out.
std::map<std::size_t, std::string> facts_from(Agents& agents, const AskFacts& asked,
                                              std::chrono::seconds time);

Probing probe(Agents& agents, const flows::FlowPlan& flows, std::span<const hostinfo::HostFacts> hosts,
              const ProbeOptions& options);

// `names` of the hosts, in their order: masked ones where that is asked for.
std::string to_text(const Probing& probing, const std::vector<std::string>& names);
base::Json to_json(const Probing& probing, const std::vector<std::string>& names, bool shows_addresses);

}  // namespace lockstep::probe
