#include "check/repair/repair.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "check/repair/open_firewalls.h"
#include "check/repair/questions/questions.h"

namespace lockstep::repair {
namespace {

// Solutions that are judged again by check before it is said that none repairs the job: each costs a whole
// check.
constexpr int kMaxTries = 12;

void ask_without_hosts(RepairProblem& problem) {
  ask_ranks(problem);
  ask_settings(problem);
  ask_host_list(problem);
  ask_manifest(problem);
}

void ask_everything(RepairProblem& problem, const Troubles& troubles) {
  if (problem.situation().hosts.empty()) return ask_without_hosts(problem);
  ask_interfaces(problem, troubles);
  ask_mpi_network(problem, troubles);
  ask_horovod_network(problem);
  ask_meeting_place(problem, troubles);
  ask_own_addresses(problem);
  ask_tf_config(problem, troubles);
  ask_names(problem);
  ask_without_hosts(problem);
  require_flows(problem, troubles);
}

Patched carried_out(const Situation& situation, const std::vector<Edit>& edits) {
  std::vector<bool> may_open(situation.hosts.size(), false);
  for (const Edit& edit : edits)
    if (edit.kind == EditKind::kFirewall && edit.host) may_open[*edit.host] = true;
  Patched result = patched(situation, edits);
  open_firewalls(may_open, result);
  return result;
}

Repair described(const Situation& before, Patched after) {
  Repair repair;
  for (const auto& [file, text] : after.situation.edited) {
    const auto old = before.text_of(file);
    if (old.ok() && old.value() != text) repair.files.push_back({file, old.value(), text});
  }
  if (after.situation.inputs.command != before.inputs.command)
    repair.command = after.situation.inputs.command;
  repair.hosts = std::move(after.hosts);
  return repair;
}

// Errors that are there now and were not accepted as out of reach; and what cannot be read any more.
std::vector<std::string> errors_after(const Judged& before, const Judged& after,
                                      const std::vector<std::string>& accepted) {
  std::vector<std::string> errors = errors_of(after);
  std::erase_if(
      errors, [&](const std::string& title) { return std::ranges::find(accepted, title) != accepted.end(); });
  const auto& old = before.configuration.faults;
  for (const config::Fault& fault : after.configuration.faults)
    if (std::ranges::find(old, fault) == old.end())
      errors.push_back(fmt::format("{} cannot be read: {}", fault.file, fault.why));
  return errors;
}

std::vector<Cause> causes_of(const Judged& judged, const std::vector<std::string>& hopeless) {
  std::vector<Cause> causes;
  const auto take = [&](const std::string& rule, const model::Finding& finding) {
    const bool is_hopeless = std::ranges::find(hopeless, finding.title) != hopeless.end();
    if (finding.confidence >= kErrorConfidence && !is_hopeless)
      causes.push_back({rule, finding.code.text(), finding.title});
  };
  for (const rules::Hit& hit : judged.hits) take(hit.rule->id, hit.finding);
  for (const model::Finding& finding : judged.blocked) take("", finding);
  return causes;
}

}  // namespace

std::vector<Edit> first_choice(const Situation& situation, const Judged& judged) {
  const Troubles troubles(situation.hosts);
  RepairProblem problem(situation, judged);
  ask_everything(problem, troubles);
  const Solution solution = solve(problem.choices());
  return solution.answers.empty() ? std::vector<Edit>{} : problem.edits_of(solution);
}

Repair find_repair(const Situation& situation) {
  const Judged judged = judge(situation);
  Repair repair;
  repair.is_needed = !judged.hits.empty() || !judged.blocked.empty();
  if (!repair.is_needed || judged.configuration.launches.empty()) return repair;

  const Troubles troubles(situation.hosts);
  RepairProblem problem(situation, judged);
  ask_everything(problem, troubles);
  std::vector<std::string> hopeless;
  std::vector<std::string> in_the_way;
  for (const rules::Hit* hit : problem.unanswered()) {
    hopeless.push_back(hit->finding.title);
    in_the_way.push_back(fmt::format("{} ({})", hit->finding.title, hit->rule->id));
  }
  for (int attempt = 0; attempt < kMaxTries; ++attempt) {
    const Solution solution = solve(problem.choices());
    if (solution.answers.empty()) {
      in_the_way.insert(in_the_way.end(), solution.in_the_way.begin(), solution.in_the_way.end());
      break;
    }
    const std::vector<Edit> edits = problem.edits_of(solution);
    Patched made = carried_out(situation, edits);
    const auto errors = errors_after(judged, judge(made.situation), hopeless);
    if (errors.empty()) {
      repair = described(situation, std::move(made));
      if (!repair.empty()) repair.mended = causes_of(judged, hopeless);
      break;
    }
    problem.rule_out(solution, fmt::format("with other changes it is still so: {}", fmt::join(errors, "; ")));
  }
  if (repair.empty() && in_the_way.empty() && !errors_of(judged).empty())
    in_the_way.push_back("no change that was tried satisfies all rules");
  repair.in_the_way = std::move(in_the_way);
  return repair;
}

}  // namespace lockstep::repair
