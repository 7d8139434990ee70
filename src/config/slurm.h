// What Slurm makes of a request: the variables that it tells the script, and the GPUs of a node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/launch_config.h"

namespace lockstep::config {

// "gpu:h100:8,nvme:1", "h100:8", "8": how many of them are GPUs.
std::optional<std::int64_t> count_of_gpus(std::string_view request);

// Of a variable that Slurm sets by the request of the launch. Nothing: only the running job knows.
std::optional<Value<std::string>> slurm_value(const LaunchConfig& launch, std::string_view variable);

bool is_set_by_launchers(std::string_view variable);  // SLURM_*, PMI_*, RANK

}  // namespace lockstep::config
