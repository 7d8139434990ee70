#include "service/engine/slurm/slurm_request.h"

namespace lockstep::service {

base::Json encode_slurm_request(const SlurmRequest& request) {
  return {{"tools", request.tools},
          {"partition", request.partition},
          {"account", request.account},
          {"cpus_per_node", request.cpus_per_node},
          {"gpus_per_node", request.gpus_per_node},
          {"memory_per_node", request.memory_per_node},
          {"excluded_nodes", request.excluded_nodes}};
}

SlurmRequest decode_slurm_request(const base::Json& json) {
  return {.tools = json.at("tools").get<std::string>(),
          .partition = json.at("partition").get<std::string>(),
          .account = json.at("account").get<std::string>(),
          .cpus_per_node = json.at("cpus_per_node").get<int>(),
          .gpus_per_node = json.at("gpus_per_node").get<int>(),
          .memory_per_node = json.at("memory_per_node").get<std::int64_t>(),
          .excluded_nodes = json.at("excluded_nodes").get<std::vector<std::string>>()};
}

}  // namespace lockstep::service
