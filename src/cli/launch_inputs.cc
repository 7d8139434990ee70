#include "cli/launch_inputs.h"

#include "base/file.h"
#include "base/process/environment.h"

namespace lockstep::cli {
namespace {

constexpr std::size_t kLargestLaunchFile = std::size_t{8} << 20;

}  // namespace

config::Inputs launch_inputs(const std::vector<std::string>& command, const std::vector<std::string>& files) {
  config::Inputs inputs;
  inputs.command = command;
  inputs.files = files;
  for (const std::string& entry : process::own_environment()) {
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos)
      inputs.environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  inputs.read_file = [](const std::string& path) { return base::read_file(path, kLargestLaunchFile); };
  return inputs;
}

}  // namespace lockstep::cli
