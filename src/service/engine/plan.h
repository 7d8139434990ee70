// What one attempt of a job is to do, as the service writes it into the attempt's folder and the attempt's
// own processes read it. No variable of the user is in it: those travel in the environment alone.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "service/engine/kubernetes/kubernetes_request.h"
#include "service/engine/nodes/node_place.h"
#include "service/engine/slurm/slurm_request.h"
#include "service/job/job.h"

namespace lockstep::service {

struct Plan {
  std::string job_id;
  int attempt = 1;
  int workers = 1;
  Framework framework = Framework::kPlain;
  std::vector<std::string> command;  // of every rank
  std::string directory;
  int threads = 1;                     // that each rank may use
  std::int64_t memory_per_worker = 0;  // 0: no limit
  std::int64_t shared_memory = 0;      // bytes of a /dev/shm of the attempt's own; 0: the host's
  std::vector<int> gpus;
  std::vector<int> ports;
  int time_limit_s = 0;
  std::string checkpoint_directory;
  std::string artifacts_directory;
  int nodes = 1;
  bool may_repair = true;  // false: the job runs as it is, whatever is wrong with it
  // Variables of the ranks on some nodes, by the node's name; an empty value: it is taken away.
  std::map<std::string, std::map<std::string, std::string>> node_environment;
  // At most one of them; none: on this machine.
  std::optional<SlurmRequest> slurm;
  std::optional<KubernetesRequest> kubernetes;  // every rank is a node of its own there: a pod
  // Where the nodes are. Not written: nobody knows it before they run. Empty: all ranks are on this host.
  std::vector<NodePlace> places;

  bool is_on_cluster() const { return slurm || kubernetes; }
};

// How many ports the ranks of a job need to meet.
int ports_needed(Framework framework, int workers);

Result<void> write_plan(const std::filesystem::path& path, const Plan& plan);
Result<Plan> read_plan(const std::filesystem::path& path);

}  // namespace lockstep::service
