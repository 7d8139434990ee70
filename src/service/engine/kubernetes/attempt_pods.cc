#include "service/engine/kubernetes/attempt_pods.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/process/environment.h"
#include "base/text_fields.h"
#include "service/engine/kubernetes/attempt_objects.h"

namespace lockstep::service {
namespace {

constexpr int kAlreadyThere = 409;

}  // namespace

std::string AttemptPods::path_of(const char* kind, const std::string& name) const {
  return fmt::format("/api/v1/namespaces/{}/{}{}{}", api_.name_space(), kind, name.empty() ? "" : "/", name);
}

// The object as the server has it.
Result<base::Json> AttemptPods::make_one(const char* kind, const base::Json& object) {
  const WholeAnswer made = TRY(api_.send("POST", path_of(kind), object));
  if (made.is_good()) return base::parse_json(made.body, kind);
  if (made.status == kAlreadyThere) return api_.get(path_of(kind, base::text_at(object, "metadata", "name")));
  return Error{"Kubernetes refused", kind, reason_in(made), ""};
}

Result<void> AttemptPods::make(const std::string& program, const AttemptFolder& folder) {
  const base::Json owner = TRY(make_one("configmaps", owner_object(plan_)));
  const auto environment = environment_for_pods(process::own_environment());
  TRY(make_one("secrets", secret_object(plan_, owner, environment)));
  TRY(make_one("services", service_object(plan_, owner)));
  for (int rank = 0; rank < plan_.workers; ++rank)
    TRY(make_one("pods", pod_object(plan_, owner, rank, program, folder.path)));
  return {};
}

Result<std::vector<PodState>> AttemptPods::states() {
  const base::Json list =
      TRY(api_.get(path_of("pods") + fmt::format("?labelSelector={}%3D{}", kAttemptLabel, kube_name(plan_))));
  return pods_in(list);
}

std::string AttemptPods::last_words(const PodState& pod) {
  const auto answer = api_.send("GET", path_of("pods", pod.name) + "/log?tailLines=5");
  if (!answer.ok() || !answer.value().is_good()) return "";
  return std::string(base::trimmed(answer.value().body));
}

void AttemptPods::end(const PodState& pod, Haste haste) {
  base::Json options = {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}};
  if (haste == Haste::kAtOnce) options["gracePeriodSeconds"] = 0;
  static_cast<void>(api_.send("DELETE", path_of("pods", pod.name), options).ok());
}

void AttemptPods::remove() {
  const base::Json options = {
      {"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"propagationPolicy", "Background"}};
  static_cast<void>(api_.send("DELETE", path_of("configmaps", kube_name(plan_)), options).ok());
}

}  // namespace lockstep::service
