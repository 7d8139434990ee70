// What is asked of Kubernetes for one attempt.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"

namespace lockstep::service {

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

}  // namespace lockstep::service
