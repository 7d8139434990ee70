#include "service/engine/admission_check.h"

#include <fmt/format.h>

#include "check/rules/catalogue.h"
#include "check/rules/judge.h"
#include "report/findings_json.h"
#include "service/engine/plan_inputs.h"

namespace lockstep::service {

std::string check_plan(const Plan& plan, const std::vector<std::string>& environment) {
  const config::Configuration configuration = config::read_configuration(inputs_of(plan, environment));
  model::Verdict verdict;
  verdict.job.world_size = plan.workers;
  if (plan.framework != Framework::kPlain) verdict.job.framework = word_for(plan.framework);
  for (rules::Hit& hit : rules::apply(rules::built_in_rules(), {configuration, {}}))
    verdict.findings.push_back(std::move(hit.finding));
  for (const config::Fault& fault : configuration.faults) {
    verdict.limits.push_back(
        fmt::format("{}: {}", fault.file.empty() ? "the command" : fault.file, fault.why));
  }
  return report::encode_findings(verdict);
}

}  // namespace lockstep::service
