#include "service/engine/admission_check.h"

#include <fmt/format.h>

#include "base/file.h"
#include "config/configuration.h"
#include "report/findings_json.h"
#include "rules/catalogue.h"
#include "rules/judge.h"
#include "service/engine/rank_environment.h"

namespace lockstep::service {
namespace {

constexpr std::size_t kLargestLaunchFile = std::size_t{8} << 20;

config::Inputs inputs_of(const Plan& plan, const std::vector<std::string>& environment) {
  config::Inputs inputs;
  inputs.command = plan.command;
  for (const std::string& entry : with_rank(environment, plan, 0)) {
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos)
      inputs.environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  inputs.read_file = [directory = std::filesystem::path(plan.directory)](const std::string& path) {
    return base::read_file(directory / path, kLargestLaunchFile);
  };
  return inputs;
}

}  // namespace

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
