// What one attempt of a job is to do, as the service writes it into the attempt's folder and the attempt's
// own processes read it. No variable of the user is in it: those travel in the environment alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "service/engine/nodes/node_place.h"
#include "service/job/job.h"

namespace lockstep::service {

// What is asked of Slurm for one attempt.

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

// What is asked of Kubernetes for one attempt.

// How a service uses Kubernetes.
struct KubernetesSettings {
  std::filesystem::path kubeconfig;
  base::Json pod;         // what every pod has: image, mounts, ...
  int gang_wait_s = 300;  // as of a request
};

struct KubernetesRequest {
  std::string kubeconfig = {};  // the file
  base::Json pod = {};
  std::int64_t millicpus = 0;  // of each rank
  std::int64_t memory = 0;     // bytes; 0: no limit
  std::int64_t gpus = 0;
  int hosts = 0;          // over which the ranks are spread evenly; 0: as Kubernetes pleases
  int gang_wait_s = 300;  // how long some ranks hold places while others find none; 0: for ever
  std::vector<std::string> excluded_nodes = {};
};

base::Json encode_kubernetes_request(const KubernetesRequest& request);
KubernetesRequest decode_kubernetes_request(const base::Json& json);

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
