// Every pair of hosts against firewalls of random rules: pairs_bench HOSTS RULES [RULE_SETS]. Prints one line
// of JSON. RULE_SETS different firewalls are given out among the hosts; by default every host has its own.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sys/resource.h>
#include <thread>

#include "network/firewall/chains.h"
#include "network/pairs.h"

namespace lockstep::network {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// Prefixes of the hosts' own network and short port ranges, as in the figures of the design: most rules do
// not concern a given peer.
Firewall random_firewall(std::mt19937& random, int rules) {
  Chains chains;
  Chain& input = chains["input"];
  ChainRule answers;  // of connections that are there: the first rule of every firewall that keeps state
  answers.alternatives = {Match{}};
  answers.alternatives[0].states = kEstablished;
  answers.verdict = Verdict::kAccept;
  input.rules.push_back(std::move(answers));
  for (int at = 1; at < rules; ++at) {
    ChainRule rule;
    Match match;
    const int length = 16 + static_cast<int>(random() % 17);
    const Prefix prefix{ipv4(0x0a000000U | (random() & 0xffffU)), length};
    match.source.add({prefix.first(), prefix.last()});
    const auto first = static_cast<std::uint16_t>(random() % 65000);
    const auto last = static_cast<std::uint16_t>(first + random() % 500);
    match.ports.destination = PortSet{{first, last}};
    rule.alternatives = {std::move(match)};
    rule.verdict = random() % 4 == 0 ? Verdict::kDrop : Verdict::kAccept;
    input.rules.push_back(std::move(rule));
  }
  BaseChain base;
  base.chain = "input";
  Firewall firewall;
  firewall.programs.push_back(compile(chains, base));
  return firewall;
}

HostFacts facts_of(std::size_t at) {
  HostFacts facts;
  facts.name = "h" + std::to_string(at);
  Interface interface;
  interface.name = "eth0";
  interface.is_up = interface.is_running = true;
  interface.addresses = {{.prefix = {ipv4(0x0a000001U + static_cast<std::uint32_t>(at)), 16}}};
  facts.routes = {{.destination = {interface.addresses[0].prefix.first(), 16}, .interface = "eth0"}};
  facts.interfaces = {std::move(interface)};
  return facts;
}

int run(std::size_t count, int rules, std::size_t sets) {
  std::mt19937 random(7);
  std::vector<HostFacts> facts;
  for (std::size_t at = 0; at < count; ++at) facts.push_back(facts_of(at));
  std::vector<ReachHost> hosts;
  for (std::size_t at = 0; at < count; ++at) {
    ReachHost host;
    host.facts = &facts[at];
    host.firewall = at < sets ? random_firewall(random, rules) : hosts[at % sets].firewall;
    hosts.push_back(std::move(host));
  }
  std::vector<Endpoint> endpoints;
  for (const ReachHost& host : hosts)
    endpoints.push_back({&host, host.facts->interfaces[0].addresses[0].prefix.address});
  const PortSet ports{{29500, 29500}};
  const Clock::time_point begin = Clock::now();
  const PairsVerdict verdict = judge_pairs(endpoints, ports, std::thread::hardware_concurrency());
  const double took = milliseconds_since(begin);
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "{\"hosts\": %zu, \"rules\": %d, \"rule_sets\": %zu, \"milliseconds\": %.2f, \"ns_per_pair\": %.2f, "
      "\"blocked\": %llu, \"peak_megabytes\": %ld}\n",
      count, rules, std::min(sets, count), took,
      took * 1e6 / (static_cast<double>(count) * static_cast<double>(count)),
      static_cast<unsigned long long>(verdict.blocked), usage.ru_maxrss / 1024);
  return 0;
}

}  // namespace
}  // namespace lockstep::network

int main(int count, char** words) {
  if (count < 3) {
    std::fprintf(stderr, "usage: pairs_bench HOSTS RULES [RULE_SETS]\n");
    return 2;
  }
  const auto hosts = static_cast<std::size_t>(std::max(1, std::atoi(words[1])));
  const auto sets = count > 3 ? static_cast<std::size_t>(std::max(1, std::atoi(words[3]))) : hosts;
  return lockstep::network::run(hosts, std::atoi(words[2]), sets);
}
