// What comes from Kubernetes and its users: a kubeconfig, a pod template, answers of the server and what they
// say of pods and nodes. Any bytes are read or refused, and of any template that is taken a pod can be made.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "service/engine/kubernetes/attempt_objects.h"
#include "service/engine/kubernetes/kube_api.h"
#include "service/engine/kubernetes/pod_states.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto access = service::decode_kubeconfig(text, "/none"); access.ok()) {
    CHECK(!access.value().host.empty(), "a server has a host");
    CHECK(access.value().name_space.find('/') == std::string::npos, "a namespace is no path");
  }
  if (const auto answer = service::whole_answer_in(text)) static_cast<void>(service::reason_in(*answer));
  static_cast<void>(service::token_in(text).ok());
  if (const auto json = base::parse_json(text, "fuzz"); json.ok()) {
    for (const service::PodState& pod : service::pods_in(json.value()))
      CHECK(pod.rank >= 0, "every pod has a rank");
    for (const service::KubeNode& node : service::kube_nodes_in(json.value(), json.value()))
      CHECK(node.millicpus >= 0 && node.memory_bytes >= 0, "nobody has less than nothing");
  }
  if (auto pod = service::decode_pod_template(text, "fuzz"); pod.ok()) {
    service::Plan plan;
    plan.workers = plan.nodes = 2;
    plan.kubernetes =
        service::KubernetesRequest{.pod = std::move(pod).value(), .hosts = 2, .excluded_nodes = {"n"}};
    const base::Json made = service::pod_object(plan, {}, 1, "lockstep", "/folder");
    CHECK(made.at("spec").at("restartPolicy") == "Never", "a pod runs once");
  }
  return 0;
}
