#include "check/probe/probing.h"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "check/probe/trials.h"

namespace lockstep::probe {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// How long a connection may take: a thousand times a round trip between hosts of one site, and at the second
// try so long that the kernel has sent a lost packet again.
constexpr std::uint32_t kTimeoutMs = 1000;
constexpr std::uint32_t kRetryTimeoutMs = 2000;
// Calls of one host at a time: more would wait for each other and look lost.
constexpr std::uint16_t kCallsAtOnce = 8;
// A pair is measured by the fastest of so many echoes, and by a stream that fills its window.
constexpr std::uint16_t kEchoes = 16;
constexpr std::uint32_t kStreamBytes = std::uint32_t{8} << 20;
// Hosts that collect their facts at a time: each answer is up to 16 MiB.
constexpr std::size_t kFactsAtOnce = 32;
// Patience with agents: to open their ports, and between two answers while calls are under way.
constexpr std::chrono::seconds kListenTimeout{30};
constexpr std::chrono::seconds kQuietTimeout{30};

// "user@node1.cluster" as a host calls itself.
std::string plain_name(const std::string& name) {
  const std::string host = name.substr(name.find('@') + 1);
  return host.substr(0, host.find('.'));
}

class Prober {
 public:
  Prober(Agents& agents, const flows::FlowPlan& flows, std::span<const hostinfo::HostFacts> hosts,
         const ProbeOptions& options)
      : agents_(agents), hosts_(hosts), options_(options), agent_of_(hosts.size()) {
    find_agents();
    std::vector<bool> has_agent;
    for (const auto& agent : agent_of_) has_agent.push_back(agent.has_value());
    made_.hosts = static_cast<std::size_t>(std::ranges::count(has_agent, true));
    made_.plan = plan_trials(flows, hosts, has_agent);
  }

  Probing run() {
    const Clock::time_point began = Clock::now();
    listen();
    call();
    made_.took = std::chrono::duration_cast<milliseconds>(Clock::now() - began);
    if (options_.measures) measure();
    return std::move(made_);
  }

 private:
  void find_agents() {
    for (std::size_t host = 0; host < hosts_.size(); ++host) {
      for (std::size_t agent = 0; agent < agents_.size() && !agent_of_[host]; ++agent) {
        const bool is_it = agents_.host(agent) == hosts_[host].name ||
                           (!agents_.asked_as(agent).empty() &&
                            plain_name(agents_.asked_as(agent)) == plain_name(hosts_[host].name));
        if (is_it && agents_.has_spoken(agent) && !agents_.is_gone(agent)) agent_of_[host] = agent;
      }
      if (!agent_of_[host])
        made_.limits.push_back(fmt::format("{} has no agent: nothing was tried there", hosts_[host].name));
    }
  }

  // Those with the fewest ports first: others can give way.
  void listen() {
    std::vector<Listen> orders(hosts_.size());
    auto& listeners = made_.plan.listeners;
    for (std::size_t at = 0; at < listeners.size(); ++at) {
      const Listener& listener = listeners[at];
      orders[listener.host].orders.push_back({.id = static_cast<std::uint32_t>(at),
                                              .address = listener.address,
                                              .first_port = listener.ports.first,
                                              .last_port = listener.ports.last});
      listeners[at].error = ENOTCONN;  // until it is told
    }
    std::size_t waiting = 0;
    for (std::size_t host = 0; host < hosts_.size(); ++host) {
      if (!agent_of_[host] || orders[host].orders.empty()) continue;
      std::ranges::sort(orders[host].orders, {},
                        [](const ListenOrder& order) { return order.last_port - order.first_port; });
      orders[host].own_number = static_cast<std::uint32_t>(host);
      agents_.send(*agent_of_[host], orders[host]);
      ++waiting;
    }
    const auto use = [&](std::size_t, const Message& message) {
      const auto* listening = std::get_if<Listening>(&message);
      if (listening == nullptr) return;
      for (const ListenResult& result : listening->results) {
        if (result.id >= listeners.size()) continue;
        listeners[result.id].port = result.port;
        listeners[result.id].error = result.error;
      }
      --waiting;
    };
    agents_.attend(
        use, [&] { return waiting == 0; }, Clock::now() + kListenTimeout);
  }

  CallOrder order_for(std::size_t number) const {
    const Trial& trial = made_.plan.trials[number];
    const Listener& listener = made_.plan.listeners[trial.listener];
    CallOrder order;
    order.id = static_cast<std::uint32_t>(number);
    order.host = static_cast<std::uint32_t>(trial.destination);
    order.is_bound = trial.bound.has_value();
    if (trial.bound) order.source = *trial.bound;
    order.destination = trial.address;
    order.port = listener.port;
    order.meets_agent = listener.error == 0;
    order.large_bytes = order.meets_agent ? trial.large_bytes : 0;
    return order;
  }

  // A port that another program has can be called all the same.
  bool can_be_called(const Trial& trial) const {
    const Listener& listener = made_.plan.listeners[trial.listener];
    return listener.port != 0 && (listener.error == 0 || listener.error == EADDRINUSE);
  }

  // Agents keep the order; what is silent does not hold up the rest.
  void call() {
    std::map<std::size_t, Call> calls;  // by agent
    std::size_t waiting = 0;
    for (const bool comes_first : {true, false}) {
      for (std::size_t number = 0; number < made_.plan.trials.size(); ++number) {
        const Trial& trial = made_.plan.trials[number];
        if (trial.is_first != comes_first || !can_be_called(trial)) continue;
        calls[*agent_of_[trial.source]].orders.push_back(order_for(number));
        ++waiting;
      }
    }
    give_out(calls, kCallsAtOnce);
    std::size_t done = 0;
    gather(waiting, [&](const Outcome& outcome) {
      if (outcome.id < made_.plan.trials.size()) made_.plan.trials[outcome.id].outcome = outcome;
      tell("connections tried", ++done, waiting);
    });
  }

  void tell(std::string_view what, std::size_t done, std::size_t all) const {
    if (options_.on_progress) options_.on_progress(what, done, all);
  }

  void give_out(std::map<std::size_t, Call>& calls, std::uint16_t at_once) {
    for (auto& [agent, call] : calls) {
      call.timeout_ms = kTimeoutMs;
      call.retry_timeout_ms = kRetryTimeoutMs;
      call.at_once = at_once;
      agents_.send(agent, call);
    }
  }

  // Until all have come, or none comes any more.
  template <typename Use>
  void gather(std::size_t waiting, const Use& use) {
    Clock::time_point heard = Clock::now();
    const auto take = [&](std::size_t, const Message& message) {
      const auto* called = std::get_if<Called>(&message);
      if (called == nullptr) return;
      heard = Clock::now();
      for (const Outcome& outcome : called->outcomes) {
        use(outcome);
        waiting -= waiting > 0 ? 1 : 0;
      }
    };
    while (waiting > 0 && Clock::now() < heard + kQuietTimeout)
      agents_.attend(
          take, [&] { return waiting == 0; }, heard + kQuietTimeout);
  }

  void measure() {
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> open;  // a way for each pair
    for (std::size_t number = 0; number < made_.plan.trials.size(); ++number) {
      const Trial& trial = made_.plan.trials[number];
      if (trial.outcome.end == End::kOpen) open.try_emplace({trial.source, trial.destination}, number);
    }
    std::size_t done = 0;
    for (const MeasuringRound& round : measuring_rounds(hosts_.size())) {
      std::map<std::size_t, Call> calls;
      std::size_t waiting = 0;
      for (const auto& pair : round) {
        const auto way = open.find(pair);
        if (way == open.end()) continue;
        CallOrder order = order_for(way->second);
        order.large_bytes = 0;
        order.echoes = kEchoes;
        order.stream_bytes = kStreamBytes;
        calls[*agent_of_[pair.first]].orders.push_back(order);
        ++waiting;
      }
      give_out(calls, 1);
      gather(waiting, [&](const Outcome& outcome) {
        tell("pairs measured", ++done, open.size());
        if (outcome.id >= made_.plan.trials.size() || outcome.bytes_per_s == 0) return;
        const Trial& trial = made_.plan.trials[outcome.id];
        made_.measures.push_back({trial.source, trial.destination, outcome.latency_ns, outcome.bytes_per_s});
      });
    }
    std::ranges::sort(made_.measures, {},
                      [](const Measure& one) { return std::pair(one.source, one.destination); });
  }

  Agents& agents_;
  std::span<const hostinfo::HostFacts> hosts_;
  const ProbeOptions& options_;
  std::vector<std::optional<std::size_t>> agent_of_;
  Probing made_;
};

}  // namespace

bool await_agents(Agents& agents, std::size_t count, std::chrono::seconds time) {
  const auto is_done = [&] {
    std::size_t decided = 0;
    for (std::size_t at = 0; at < agents.size(); ++at)
      decided += agents.has_spoken(at) || agents.is_gone(at) ? 1 : 0;
    return decided >= count;
  };
  return agents.attend([](std::size_t, const Message&) {}, is_done, Clock::now() + time);
}

std::map<std::size_t, std::string> facts_from(Agents& agents, const AskFacts& asked,
                                              std::chrono::seconds time) {
  std::vector<std::size_t> to_ask;
  for (std::size_t at = agents.size(); at-- > 0;)
    if (agents.has_spoken(at) && !agents.is_gone(at)) to_ask.push_back(at);
  std::map<std::size_t, std::string> told;
  std::size_t asked_count = 0;
  // Hosts can share a machine or a file system, which many programs at once would overload.
  const auto ask_more = [&] {
    for (; !to_ask.empty() && asked_count - told.size() < kFactsAtOnce; ++asked_count) {
      agents.send(to_ask.back(), asked);
      to_ask.pop_back();
    }
  };
  const auto take = [&](std::size_t agent, const Message& message) {
    if (const auto* facts = std::get_if<Facts>(&message)) told.emplace(agent, facts->json);
    ask_more();
  };
  ask_more();
  const auto is_done = [&] { return to_ask.empty() && told.size() >= asked_count; };
  agents.attend(take, is_done, Clock::now() + time);
  return told;
}

Probing probe(Agents& agents, const flows::FlowPlan& flows, std::span<const hostinfo::HostFacts> hosts,
              const ProbeOptions& options) {
  return Prober(agents, flows, hosts, options).run();
}

}  // namespace lockstep::probe
