#include "check/repair/repair_problem.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "check/repair/trouble.h"

namespace lockstep::repair {
namespace {

// The weight of a kind of change over the next lighter one: more than all lighter ones together, bounded so
// that its third power times the number of hosts stays far inside a long. Held by
// Repair.OpensAFirewallWhenNothingLighterWorks.
constexpr long kMaxWeightOfKind = 600;

}  // namespace

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
