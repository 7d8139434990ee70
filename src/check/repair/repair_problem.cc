#include "check/repair/repair_problem.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "check/repair/trouble.h"
#include "network/reach.h"

namespace lockstep::repair {
namespace {

using hostinfo::HostFacts;

constexpr std::string_view kOfContainers[] = {"docker", "br-",     "virbr", "veth",   "cni",
                                              "cali",   "flannel", "lxcbr", "podman", "tunl"};

bool is_of_containers(const std::string& name) {
  return std::ranges::any_of(kOfContainers, [&](std::string_view start) { return name.starts_with(start); });
}

bool has_default_route(const HostFacts& host, const std::string& name) {
  return std::ranges::any_of(host.routes, [&](const hostinfo::Route& route) {
    return route.interface == name && route.destination.is_default() && route.kind == "unicast";
  });
}

std::vector<UsableInterface> usable_on(const HostFacts& host, const std::set<base::Address>& shared) {
  std::vector<UsableInterface> usable;
  for (const hostinfo::LocalAddress& local : hostinfo::addresses_in_kernel_order(host)) {
    const hostinfo::Interface& interface = *local.interface;
    const base::Address& address = local.address->prefix.address;
    const bool is_usable = interface.is_up && interface.is_running && !interface.is_loopback &&
                           !address.is_link_local() && !address.is_loopback() && !shared.contains(address);
    const bool is_there =
        std::ranges::any_of(usable, [&](const UsableInterface& one) { return one.name == interface.name; });
    if (is_usable && !is_there) usable.push_back({interface.name, address});
  }
  const auto is_plain = [](const UsableInterface& one) { return !is_of_containers(one.name); };
  if (std::ranges::any_of(usable, is_plain)) std::erase_if(usable, std::not_fn(is_plain));
  std::stable_partition(usable.begin(), usable.end(),
                        [&](const UsableInterface& one) { return has_default_route(host, one.name); });
  return usable;
}

// The weight of a kind of change over the next lighter one: more than all lighter ones together, bounded so
// that its third power times the number of hosts stays far inside a long. Held by
// Repair.OpensAFirewallWhenNothingLighterWorks.
constexpr long kMaxWeightOfKind = 600;

}  // namespace

std::vector<std::vector<UsableInterface>> usable_interfaces(std::span<const HostFacts> hosts) {
  const std::set<base::Address> shared = network::shared_addresses(hosts);
  std::vector<std::vector<UsableInterface>> usable;
  for (const HostFacts& host : hosts) usable.push_back(usable_on(host, shared));
  return usable;
}

RepairProblem::RepairProblem(const Situation& situation, const Judged& judged)
    : situation_(situation),
      judged_(judged),
      hosts_(judged.configuration.launches, situation.hosts),
      usable_(usable_interfaces(situation.hosts)) {
  opened_.resize(situation.hosts.size());
  for (std::size_t host = 0; host < situation.hosts.size(); ++host) {
    if (!has_firewall(situation.hosts[host])) continue;
    opened_[host] = ask({{"the firewall stays as it is", {}},
                         {fmt::format("the firewall of {} lets the job through", situation.hosts[host].name),
                          {{.kind = EditKind::kFirewall, .host = host}}}})[1];
  }
}

std::vector<Literal> RepairProblem::ask(std::vector<Answer> answers) {
  std::vector<long> costs;
  for (const Answer& answer : answers) costs.push_back(cost_of(answer));
  questions_.push_back(std::move(answers));
  literals_.push_back(choices_.ask(costs));
  return literals_.back();
}

void RepairProblem::ask_one_change(std::string_view rules, Answer answer, std::optional<std::size_t> host) {
  const std::string why = found_by(rules, host);
  if (why.empty()) return;
  if (answer.edits.empty()) return choices_.require({}, why);
  const auto literals = ask({{"as it is", {}}, std::move(answer)});
  choices_.require({!literals[0]}, why);
}

long RepairProblem::cost_of(const Answer& answer) const {
  const long base = std::min<long>(kMaxWeightOfKind, static_cast<long>(situation_.hosts.size()) + 8);
  long cost = 0;
  for (const Edit& edit : answer.edits) {
    long weight = 1;
    for (int i = 0; i < static_cast<int>(edit.kind); ++i) weight *= base;
    cost += weight;
  }
  return cost;
}

std::string RepairProblem::found_by(std::string_view ids, std::optional<std::size_t> host) {
  std::string words;
  for (const rules::Hit& hit : judged_.hits) {
    if (ids.find(hit.rule->id) == std::string_view::npos) continue;
    if (host && !hit.hosts.empty() &&
        std::ranges::find(hit.hosts, situation_.hosts[*host].name) == hit.hosts.end())
      continue;
    if (std::ranges::find(taken_, &hit) == taken_.end()) taken_.push_back(&hit);
    if (words.empty()) words = fmt::format("{} ({})", hit.finding.title, hit.rule->id);
  }
  return words;
}

std::vector<const rules::Hit*> RepairProblem::unanswered() const {
  std::vector<const rules::Hit*> left;
  for (const rules::Hit& hit : judged_.hits) {
    const bool is_error = hit.finding.confidence >= kErrorConfidence;
    if (is_error && std::ranges::find(taken_, &hit) == taken_.end()) left.push_back(&hit);
  }
  return left;
}

std::vector<Edit> RepairProblem::edits_of(const Solution& solution) const {
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < questions_.size(); ++i) {
    const Answer& answer = questions_[i][solution.answers[i]];
    edits.insert(edits.end(), answer.edits.begin(), answer.edits.end());
  }
  return edits;
}

void RepairProblem::rule_out(const Solution& solution, const std::string& why) {
  std::vector<Literal> other;
  for (std::size_t i = 0; i < questions_.size(); ++i) other.push_back(!literals_[i][solution.answers[i]]);
  choices_.require(std::move(other), why);
}

}  // namespace lockstep::repair
