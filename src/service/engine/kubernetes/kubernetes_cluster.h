// A cluster that Kubernetes looks after. Every rank is a pod.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "service/engine/cluster.h"
#include "service/engine/kubernetes/kube_api.h"
#include "service/engine/kubernetes/pod_states.h"
#include "service/engine/nodes/shares.h"
#include "service/engine/plan.h"

namespace lockstep::service {

class KubernetesCluster : public Cluster {
 public:
  KubernetesCluster(KubernetesSettings settings, KubeApi api)
      : settings_(std::move(settings)), api_(std::move(api)) {}

  // Compares with what the nodes have: what would wait for ever is refused. A user who may not see the nodes
  // is not compared.
  std::vector<FieldFault> choose(Job& job) override;
  bool has_own_queue() const override { return true; }
  Share share_for(const Job& job) override;
  // What others have of a node is not known: one that came back has room, and so have the job's own.
  Room room_for(const Job& job, const Attempt& attempt, const std::vector<std::string>& own_nodes) override;

  const KubernetesSettings& settings() const { return settings_; }

 private:
  enum class Sight { kClear, kForbidden };
  Result<Sight> look();

  KubernetesSettings settings_;
  KubeApi api_;
  std::vector<KubeNode> nodes_;
  NodeReturns returns_;
  Sight sight_ = Sight::kForbidden;
  std::chrono::steady_clock::time_point known_until_{};
};

}  // namespace lockstep::service
