#include "service/engine/kubernetes/kubernetes_request.h"

namespace lockstep::service {

base::Json encode_kubernetes_request(const KubernetesRequest& request) {
  return {{"kubeconfig", request.kubeconfig},
          {"pod", request.pod},
          {"millicpus", request.millicpus},
          {"memory", request.memory},
          {"gpus", request.gpus},
          {"hosts", request.hosts},
          {"gang_wait_s", request.gang_wait_s},
          {"excluded_nodes", request.excluded_nodes}};
}

KubernetesRequest decode_kubernetes_request(const base::Json& json) {
  return {.kubeconfig = json.at("kubeconfig").get<std::string>(),
          .pod = json.at("pod"),
          .millicpus = json.at("millicpus").get<std::int64_t>(),
          .memory = json.at("memory").get<std::int64_t>(),
          .gpus = json.at("gpus").get<std::int64_t>(),
          .hosts = json.at("hosts").get<int>(),
          .gang_wait_s = json.at("gang_wait_s").get<int>(),
          .excluded_nodes = json.at("excluded_nodes").get<std::vector<std::string>>()};
}

}  // namespace lockstep::service
