// Every pair of hosts against firewalls of random rules: pairs_bench HOSTS RULES [RULE_SETS]. Prints one line
// of JSON. RULE_SETS different firewalls are given out among the hosts; by default every host has its own. Of
// very many different ones some are not kept: then deciding includes reading them.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <sys/resource.h>
#include <thread>

#include <fmt/format.h>

#include "network/pairs.h"

namespace lockstep::network {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostReadAhead = 900'000;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// As iptables-save prints them. Prefixes of the hosts' own network and short port ranges, as in the figures
// of the design: most rules do not concern a given peer.
std::string random_rules(std::mt19937& random, int rules) {
  std::string text = "*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -m conntrack --ctstate ESTABLISHED -j ACCEPT\n";
  for (int at = 1; at < rules; ++at) {
    const int length = 16 + static_cast<int>(random() % 17);
    const base::Prefix prefix{base::ipv4(0x0a000000U | (random() & 0xffffU)), length};
    const auto first = random() % 65000;
    text += fmt::format("-A INPUT -s {}/{} -p tcp -m tcp --dport {}:{} -j {}\n", to_text(prefix.first()),
                        length, first, first + random() % 500, random() % 4 == 0 ? "DROP" : "ACCEPT");
  }
  return text + "COMMIT\n";
}

hostinfo::HostFacts facts_of(std::size_t at, std::string rules) {
  hostinfo::HostFacts facts;
  facts.name = "h" + std::to_string(at);
  hostinfo::Interface interface;
  interface.name = "eth0";
  interface.is_up = interface.is_running = true;
  interface.addresses = {{.prefix = {base::ipv4(0x0a000001U + static_cast<std::uint32_t>(at)), 16}}};
  facts.routes = {{.destination = {interface.addresses[0].prefix.first(), 16}, .interface = "eth0"}};
  facts.interfaces = {std::move(interface)};
  facts.firewall.was_seen = true;
  facts.firewall.iptables = {{hostinfo::IptablesKind::kLegacy, false, std::move(rules)}};
  return facts;
}

long peak_megabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

int run(std::size_t count, int rules, std::size_t sets) {
  std::mt19937 random(7);
  std::vector<hostinfo::HostFacts> facts;
  for (std::size_t at = 0; at < count; ++at)
    facts.push_back(
        facts_of(at, at < sets ? random_rules(random, rules) : facts[at % sets].firewall.iptables[0].text));
  std::vector<Endpoint> endpoints;
  for (std::size_t at = 0; at < count; ++at)
    endpoints.push_back({at, facts[at].interfaces[0].addresses[0].prefix.address, PortSet::one(29500)});
  const long before = peak_megabytes();
  const Clock::time_point begin = Clock::now();
  const ReachHosts hosts(facts);
  std::size_t kept = 0;  // rules are read when they are first asked for: this asks for as many as stay
  for (std::size_t at = 0; at < count && kept < kMostReadAhead; ++at)
    kept +=
        static_cast<std::size_t>(hosts.at(at).firewall->programs.size()) * static_cast<std::size_t>(rules);
  const double reading = milliseconds_since(begin);
  const std::clock_t cpu_before = std::clock();
  const PairsVerdict verdict = judge_pairs(hosts, endpoints, std::thread::hardware_concurrency());
  const double took = milliseconds_since(begin) - reading;
  // Of all threads: what stays true on a busy machine.
  const double cpu = 1000.0 * static_cast<double>(std::clock() - cpu_before) / CLOCKS_PER_SEC;
  std::printf(
      "{\"hosts\": %zu, \"rules\": %d, \"rule_sets\": %zu, \"reading_ms\": %.2f, \"deciding_ms\": %.2f, "
      "\"deciding_cpu_ms\": %.2f, "
      "\"ns_per_pair\": %.2f, \"blocked\": %llu, \"facts_megabytes\": %ld, \"peak_megabytes\": %ld}\n",
      count, rules, hosts.rule_sets(), reading, took, cpu,
      took * 1e6 / (static_cast<double>(count) * static_cast<double>(count)),
      static_cast<unsigned long long>(verdict.blocked), before, peak_megabytes());
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
