// What an attempt is in Kubernetes: a ConfigMap that owns all else, so that with it everything goes; a Secret
// with the variables of the ranks; a headless Service, by which pods have names; one pod for each rank.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "service/engine/attempt_folder.h"
#include "service/engine/kubernetes/kube_api.h"
#include "service/engine/kubernetes/pod_states.h"
#include "service/engine/plan.h"

namespace lockstep::service {

// "lockstep-job-01abc...-2"
std::string kube_name(const Plan& plan);
std::string kube_pod_name(const Plan& plan, int rank);

// The label by which the pods of an attempt are found, and the one that numbers them.
inline constexpr const char* kAttemptLabel = "lockstep-attempt";
inline constexpr const char* kRankLabel = "lockstep-rank";

base::Json owner_object(const Plan& plan);
// `owner`: the ConfigMap as the server has it.
base::Json secret_object(const Plan& plan, const base::Json& owner,
                         const std::vector<std::string>& environment);
base::Json service_object(const Plan& plan, const base::Json& owner);
base::Json pod_object(const Plan& plan, const base::Json& owner, int rank, const std::string& program,
                      const std::filesystem::path& folder);

// Without those that tell of this machine; in a pod the image says them.
std::vector<std::string> environment_for_pods(std::vector<std::string> environment);

// What every pod of a service has. An error when it is no pod.
Result<base::Json> decode_pod_template(std::string_view text, const std::string& where);
// Where nobody wrote one: an image in which Lockstep is installed, and the service's folder, which all nodes
// have at the same place.
base::Json usual_pod(const std::string& image, const std::filesystem::path& state_folder);
std::string image_of(const base::Json& pod);

// The objects of one attempt in Kubernetes, made and removed. Each step may be done twice.

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
  // The owner; all else goes with it. An error: nobody answers.
  Result<void> remove();

 private:
  std::string path_of(const char* kind, const std::string& name = "") const;
  Result<base::Json> make_one(const char* kind, const base::Json& object);

  KubeApi api_;
  const Plan& plan_;
};

}  // namespace lockstep::service
