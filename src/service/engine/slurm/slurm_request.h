// What is asked of Slurm for one attempt.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"

namespace lockstep::service {

struct SlurmRequest {
  std::string tools;      // the folder of sbatch and the others
  std::string partition;  // empty: the cluster's default
  std::string account;
  int cpus_per_node = 1;
  int gpus_per_node = 0;
  std::int64_t memory_per_node = 0;  // bytes; 0: what the partition gives
  std::vector<std::string> excluded_nodes;
};

base::Json encode_slurm_request(const SlurmRequest& request);
SlurmRequest decode_slurm_request(const base::Json& json);

}  // namespace lockstep::service
