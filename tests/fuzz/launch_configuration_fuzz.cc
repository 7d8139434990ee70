// Any bytes as each kind of launch file, and as a command: read into launches or named as faults, never more.
#include <cstddef>
#include <cstdint>
#include <string>

#include "config/configuration.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"job.yaml", "train.sbatch", "config.json", "hostfile", ".deepspeed_env"}) {
    lockstep::config::Inputs inputs;
    inputs.files = {name};
    inputs.command = {"bash", "-c", text};
    inputs.environment["TF_CONFIG"] = text;
    inputs.read_file = [&](const std::string&) -> lockstep::Result<std::string> { return text; };
    (void)lockstep::config::read_configuration(inputs);
  }
  return 0;
}
