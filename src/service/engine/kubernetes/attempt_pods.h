// The objects of one attempt in Kubernetes, made and removed. Each step may be done twice.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "service/engine/attempt_folder.h"
#include "service/engine/kubernetes/kube_api.h"
#include "service/engine/kubernetes/pod_states.h"
#include "service/engine/plan.h"

namespace lockstep::service {

class AttemptPods {
 public:
  AttemptPods(KubeApi api, const Plan& plan) : api_(std::move(api)), plan_(plan) {}

  // What is there already stays as it is. An error has the server's own words.
  Result<void> make(const std::string& program, const AttemptFolder& folder);
  Result<std::vector<PodState>> states();
  // What the pod printed last, before any rank of it did.
  std::string last_words(const PodState& pod);
  enum class Haste { kWithGrace, kAtOnce };  // at once: also of a node that does not answer
  void end(const PodState& pod, Haste haste);
  // The owner; all else goes with it.
  void remove();

 private:
  std::string path_of(const char* kind, const std::string& name = "") const;
  Result<base::Json> make_one(const char* kind, const base::Json& object);

  KubeApi api_;
  const Plan& plan_;
};

}  // namespace lockstep::service
