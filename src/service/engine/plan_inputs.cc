#include "service/engine/plan_inputs.h"

#include <filesystem>

#include "base/file.h"
#include "service/engine/rank_environment.h"

namespace lockstep::service {
namespace {

constexpr std::size_t kLargestLaunchFile = std::size_t{8} << 20;

}  // namespace

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

}  // namespace lockstep::service
