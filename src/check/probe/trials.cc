#include "check/probe/trials.h"

#include <algorithm>
#include <map>
#include <set>
#include <thread>
#include <tuple>

#include "check/probe/messages.h"
#include "network/pairs.h"

namespace lockstep::probe {
namespace {

using flows::RequiredFlow;
using network::PortRange;
using network::PortSet;
using network::Reach;

// Ports that an agent opens: enough for every stack on every interface, few against the 1,024 files that a
// process may have open.
constexpr std::size_t kMaxListenersOfAHost = 48;
// Connections of one host, expected to fail, in the set that comes first: each costs a whole timeout.
constexpr std::size_t kMaxBadOfASource = 32;
// Bytes, of a host that tells none: the largest that is usual, so that a large message is large enough.
constexpr std::uint32_t kUsualMtu = 9000;

PortRange widest(const PortSet& ports) {
  const auto width = [](const PortRange& range) { return range.last - range.first; };
  return *std::ranges::max_element(ports.ranges(), {}, width);
}

std::uint32_t largest_mtu(const hostinfo::HostFacts& host) {
  std::uint32_t largest = 0;
  for (const hostinfo::Interface& interface : host.interfaces)
    if (interface.name != "lo") largest = std::max<std::uint32_t>(largest, interface.mtu);
  return largest;
}

class Planner {
 public:
  Planner(std::span<const hostinfo::HostFacts> hosts, const std::vector<bool>& has_agent)
      : hosts_(hosts),
        has_agent_(has_agent),
        reach_(hosts),
        bad_of_(hosts.size()),
        listeners_of_(hosts.size()) {
    for (const hostinfo::HostFacts& host : hosts) mtus_.push_back(largest_mtu(host));
  }

  void plan(const RequiredFlow& flow) {
    if (!is_tried(flow)) return;
    add(flow, network::judge_flow(reach_.at(flow.source), reach_.at(flow.destination), flow.flow));
  }

  void plan(const flows::Mesh& mesh) {
    std::vector<network::Endpoint> endpoints;
    for (const auto& end : mesh.ends) endpoints.push_back({end.host, end.address, end.ports, end.bound});
    const auto pairs = network::judge_pairs(reach_, endpoints, std::thread::hardware_concurrency());
    const std::size_t count = mesh.ends.size();
    // Each begins with its next neighbour, so that not all call one host at once.
    for (std::size_t step = 1; step < count; ++step) {
      for (std::size_t source = 0; source < count; ++source) {
        const std::size_t destination = (source + step) % count;
        if (!mesh.kind_of(source, destination)) continue;
        const RequiredFlow flow = mesh.flow(source, destination);
        if (!is_tried(flow)) continue;
        network::FlowVerdict verdict;
        verdict.reach = pairs.at(source, destination);
        if (verdict.reach != Reach::kOpen)
          verdict = network::judge_flow(reach_.at(flow.source), reach_.at(flow.destination), flow.flow);
        add(flow, std::move(verdict));
      }
    }
  }

  TrialPlan take() {
    if (hosts_.size() > kMaxHostsForAllPairs)
      plan_.left_out = std::erase_if(plan_.trials, [](const Trial& trial) { return !trial.is_first; });
    return std::move(plan_);
  }

 private:
  bool is_tried(const RequiredFlow& flow) {
    if (flow.source == flow.destination || flow.flow.ports.empty()) return false;
    const bool is_tcp = flow.flow.protocol == network::kTcp && flow.flow.passes_firewall;
    const bool have_agents = has_agent_[flow.source] && has_agent_[flow.destination];
    plan_.not_tcp += is_tcp ? 0 : 1;
    plan_.without_agent += is_tcp && !have_agents ? 1 : 0;
    return is_tcp && have_agents;
  }

  void add(const RequiredFlow& flow, network::FlowVerdict verdict) {
    const std::size_t listener = listener_for(flow, verdict.blocked_ports & flow.flow.ports);
    const auto key = std::tuple(flow.source, flow.flow.source, listener);
    const auto [known, is_new] = known_.try_emplace(key, plan_.trials.size());
    if (!is_new) {
      auto& kinds = plan_.trials[known->second].kinds;
      if (std::ranges::find(kinds, flow.kind) == kinds.end()) kinds.push_back(flow.kind);
      return;
    }
    Trial trial;
    trial.source = flow.source;
    trial.destination = flow.destination;
    trial.bound = flow.flow.source;
    trial.address = flow.flow.destination;
    trial.listener = listener;
    trial.kinds = {flow.kind};
    trial.predicted = verdict.reach;
    trial.blocked_ports = std::move(verdict.blocked_ports);
    trial.why = std::move(verdict.why);
    const std::uint32_t mtu = std::max(mtus_[flow.source], mtus_[flow.destination]);
    trial.large_bytes = std::min(2 * (mtu > 0 ? mtu : kUsualMtu), kMaxLargeBytes);
    trial.is_first = comes_first(trial);
    plan_.trials.push_back(std::move(trial));
  }

  // What is expected to fail, and one of each kind that is not.
  bool comes_first(const Trial& trial) {
    if (trial.predicted != Reach::kOpen) return ++bad_of_[trial.source] <= kMaxBadOfASource;
    return shown_
        .emplace(trial.kinds.front(), reach_.rule_set_of(trial.source), reach_.rule_set_of(trial.destination))
        .second;
  }

  // A port that is expected to be blocked, where there are such.
  std::size_t listener_for(const RequiredFlow& flow, const PortSet& blocked) {
    auto& own = listeners_of_[flow.destination];
    const auto place = [&](const PortRange& range) {
      return std::tuple(flow.flow.destination, range.first, range.last);
    };
    PortRange range = widest(blocked.empty() ? flow.flow.ports : blocked);
    if (!own.contains(place(range)) && own.size() >= kMaxListenersOfAHost) range = widest(flow.flow.ports);
    const auto [found, is_new] = own.try_emplace(place(range), plan_.listeners.size());
    if (is_new)
      plan_.listeners.push_back({.host = flow.destination, .address = flow.flow.destination, .ports = range});
    return found->second;
  }

  std::span<const hostinfo::HostFacts> hosts_;
  const std::vector<bool>& has_agent_;
  network::ReachHosts reach_;
  std::vector<std::uint32_t> mtus_;
  std::vector<std::size_t> bad_of_;
  std::vector<std::map<std::tuple<base::Address, std::uint16_t, std::uint16_t>, std::size_t>> listeners_of_;
  std::map<std::tuple<std::size_t, std::optional<base::Address>, std::size_t>, std::size_t> known_;
  std::set<std::tuple<flows::FlowKind, std::size_t, std::size_t>> shown_;
  TrialPlan plan_;
};

}  // namespace

Reach TrialPlan::expected(const Trial& trial) const {
  if (trial.blocked_ports.contains(listeners[trial.listener].port)) return Reach::kBlocked;
  return trial.predicted == Reach::kUnknown ? Reach::kUnknown : Reach::kOpen;
}

TrialPlan plan_trials(const flows::FlowPlan& flows, std::span<const hostinfo::HostFacts> hosts,
                      const std::vector<bool>& has_agent) {
  Planner planner(hosts, has_agent);
  for (const RequiredFlow& flow : flows.flows) planner.plan(flow);
  for (const flows::Mesh& mesh : flows.meshes) planner.plan(mesh);
  return planner.take();
}

// As tournaments are arranged: one stays, the others move on by one place each round. Then the same the other
// way round.
std::vector<MeasuringRound> measuring_rounds(std::size_t hosts) {
  std::vector<MeasuringRound> rounds;
  const std::size_t places = hosts + hosts % 2;  // one that is nobody makes the number even
  for (std::size_t round = 0; round + 1 < places; ++round) {
    MeasuringRound there;
    MeasuringRound back;
    for (std::size_t at = 0; at < places / 2; ++at) {
      const auto moved = [&](std::size_t place) {
        return place == 0 ? 0 : (place + round - 1) % (places - 1) + 1;
      };
      const std::size_t one = moved(at);
      const std::size_t other = moved(places - 1 - at);
      if (one >= hosts || other >= hosts) continue;
      there.emplace_back(one, other);
      back.emplace_back(other, one);
    }
    rounds.push_back(std::move(there));
    rounds.push_back(std::move(back));
  }
  return rounds;
}

}  // namespace lockstep::probe
