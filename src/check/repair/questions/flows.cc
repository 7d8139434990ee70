#include <fmt/format.h>

#include "check/repair/questions/questions.h"

namespace lockstep::repair {

bool require_flow(RepairProblem& problem, const Troubles& troubles, const flows::RequiredFlow& flow,
                  std::vector<Literal> unless, std::string_view where) {
  const Trouble trouble = troubles.of(flow);
  if (trouble == Trouble::kNone) return true;
  const std::string why = fmt::format("{}: {} does not reach {} {}", flows::meaning_of(flow.kind).what,
                                      problem.situation().hosts[flow.source].name,
                                      problem.situation().hosts[flow.destination].name, where);
  if (trouble == Trouble::kNoWay) {
    problem.choices().require(std::move(unless), why);
    return false;
  }
  for (const auto& [bit, host] : {std::pair(1, flow.source), std::pair(2, flow.destination)}) {
    if ((static_cast<int>(trouble) & bit) == 0) continue;
    std::vector<Literal> literals = unless;
    literals.push_back(problem.opened(host));
    problem.choices().require(std::move(literals), why);
  }
  return true;
}

void require_flows(RepairProblem& problem, const Troubles& troubles) {
  using flows::FlowKind;
  for (const flows::RequiredFlow& flow : problem.judged().plan.flows) {
    if (flow.kind == FlowKind::kStore || flow.kind == FlowKind::kRendezvous ||
        flow.kind == FlowKind::kTensorflow)
      continue;
    const std::string where = fmt::format("at {}, ports {}", base::to_text(flow.flow.destination),
                                          network::to_text(flow.flow.ports));
    require_flow(problem, troubles, flow, {}, where);
  }
}

}  // namespace lockstep::repair
