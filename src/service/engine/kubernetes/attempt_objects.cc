#include "service/engine/kubernetes/attempt_objects.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/json.h"
#include "base/process/environment.h"
#include "base/text_fields.h"
#include "base/yaml.h"
#include "service/engine/nodes/node_place.h"
#include "service/engine/nodes/shares.h"

namespace lockstep::service {

namespace {

using base::Json;

constexpr const char* kHostLabel = "lockstep-host";
constexpr const char* kHostKey = "kubernetes.io/hostname";
// For the wrapper of the rank and its watcher: the rank's own limit is reached first, and explained.
constexpr std::int64_t kMemoryBeside = std::int64_t{256} << 20;
constexpr int kGraceSeconds = 15;  // more than the wrapper gives its rank

Json metadata_of(const Plan& plan, const std::string& name) {
  return {{"name", name},
          {"labels", {{"app.kubernetes.io/managed-by", "lockstep"}, {kAttemptLabel, kube_name(plan)}}}};
}

Json owned_metadata(const Plan& plan, const std::string& name, const Json& owner) {
  Json metadata = metadata_of(plan, name);
  metadata["ownerReferences"] = Json::array({{{"apiVersion", "v1"},
                                              {"kind", "ConfigMap"},
                                              {"name", base::text_at(owner, "metadata", "name")},
                                              {"uid", base::text_at(owner, "metadata", "uid")}}});
  return metadata;
}

Json attempt_selector(const Plan& plan) {
  return {{kAttemptLabel, kube_name(plan)}};
}

// Ranks that share a host, of as many as were asked for.
int host_of(const Plan& plan, int rank) {
  return seat_of(rank, plan.workers, plan.kubernetes->hosts).node;
}

Json beside(const Plan& plan, Json expressions) {
  return Json::array(
      {{{"topologyKey", kHostKey},
        {"labelSelector",
         {{"matchLabels", attempt_selector(plan)}, {"matchExpressions", std::move(expressions)}}}}});
}

Json host_expression(const char* relation, int host) {
  return Json::array({{{"key", kHostLabel}, {"operator", relation}, {"values", {std::to_string(host)}}}});
}

// Together with those of its host, apart from all others of the attempt; never on a node that was left out.
void place(const Plan& plan, int rank, Json& spec) {
  Json& affinity = spec["affinity"];
  if (plan.kubernetes->hosts > 0) {
    const char* when = "requiredDuringSchedulingIgnoredDuringExecution";
    const int host = host_of(plan, rank);
    affinity["podAffinity"][when] = beside(plan, host_expression("In", host));
    affinity["podAntiAffinity"][when] = beside(plan, host_expression("NotIn", host));
  }
  if (plan.kubernetes->excluded_nodes.empty()) {
    if (affinity.is_null()) spec.erase("affinity");
    return;
  }
  Json elsewhere = Json::array();
  for (const std::string& node : plan.kubernetes->excluded_nodes)
    elsewhere.push_back({{"key", "metadata.name"}, {"operator", "NotIn"}, {"values", {node}}});
  Json& terms =
      affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"];
  if (!terms.is_array() || terms.empty()) terms = Json::array({Json::object()});
  for (Json& term : terms) {
    Json& fields = term["matchFields"];
    if (!fields.is_array()) fields = Json::array();
    fields.insert(fields.end(), elsewhere.begin(), elsewhere.end());
  }
}

void add_resources(const KubernetesRequest& asked, Json& container) {
  Json& resources = container["resources"];
  resources["requests"]["cpu"] = fmt::format("{}m", asked.millicpus);
  if (asked.memory > 0) resources["limits"]["memory"] = std::to_string(asked.memory + kMemoryBeside);
  if (asked.gpus > 0) resources["limits"]["nvidia.com/gpu"] = std::to_string(asked.gpus);
}

bool mounts(const Json& container, std::string_view path) {
  return std::ranges::any_of(base::list_at(container, "volumeMounts"),
                             [&](const Json& mount) { return base::text_at(mount, "mountPath") == path; });
}

// Of what may be a list or not there yet.
void append(Json& list, Json item) {
  if (!list.is_array()) list = Json::array();
  list.push_back(std::move(item));
}

// /dev/shm of a container is 64 MiB unless it is said otherwise: too little for loaders of data.
void add_shared_memory(Json& spec, Json& container) {
  if (mounts(container, "/dev/shm")) return;
  append(container["volumeMounts"], {{"name", "lockstep-shm"}, {"mountPath", "/dev/shm"}});
  append(spec["volumes"], {{"name", "lockstep-shm"}, {"emptyDir", {{"medium", "Memory"}}}});
}

void set_unless_said(Json& object, const char* name, const Json& value) {
  if (!object.contains(name)) object[name] = value;
}

}  // namespace

std::string kube_name(const Plan& plan) {
  std::string name = fmt::format("lockstep-{}-{}", plan.job_id, plan.attempt);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string kube_pod_name(const Plan& plan, int rank) {
  return fmt::format("{}-{}", kube_name(plan), rank);
}

Json owner_object(const Plan& plan) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", metadata_of(plan, kube_name(plan))},
          {"data", {{"job", plan.job_id}, {"attempt", std::to_string(plan.attempt)}}}};
}

Json secret_object(const Plan& plan, const Json& owner, const std::vector<std::string>& environment) {
  Json data = Json::object();
  for (const std::string& entry : environment) {
    const std::string name(base::word_of(entry, '='));
    if (name.size() < entry.size())
      data[name] = base::to_base64(std::string_view(entry).substr(name.size() + 1));
  }
  return {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"metadata", owned_metadata(plan, kube_name(plan), owner)},
          {"type", "Opaque"},
          {"data", std::move(data)}};
}

Json service_object(const Plan& plan, const Json& owner) {
  return {
      {"apiVersion", "v1"},
      {"kind", "Service"},
      {"metadata", owned_metadata(plan, kube_name(plan), owner)},
      {"spec",
       {{"clusterIP", "None"}, {"publishNotReadyAddresses", true}, {"selector", attempt_selector(plan)}}}};
}

Json pod_object(const Plan& plan, const Json& owner, int rank, const std::string& program,
                const std::filesystem::path& folder) {
  const KubernetesRequest& asked = *plan.kubernetes;
  Json pod = asked.pod;
  pod["apiVersion"] = "v1";
  pod["kind"] = "Pod";
  const Json own = owned_metadata(plan, kube_pod_name(plan, rank), owner);
  Json& metadata = pod["metadata"];
  metadata.update(own, true);
  metadata["labels"][kRankLabel] = std::to_string(rank);
  if (asked.hosts > 0) metadata["labels"][kHostLabel] = std::to_string(host_of(plan, rank));

  Json& spec = pod["spec"];
  spec["restartPolicy"] = "Never";  // a new attempt is a new pod
  spec["hostname"] = fmt::format("rank-{}", rank);
  spec["subdomain"] = kube_name(plan);
  set_unless_said(spec, "terminationGracePeriodSeconds", kGraceSeconds);
  set_unless_said(spec, "enableServiceLinks", false);
  set_unless_said(spec, "automountServiceAccountToken", false);
  place(plan, rank, spec);

  Json& container = spec["containers"][0];
  set_unless_said(container, "name", "rank");
  set_unless_said(container, "imagePullPolicy", "IfNotPresent");
  container["command"] = {program, "service-part", "node", folder.string()};
  container.erase("args");
  append(container["env"], {{"name", kNodeNumberVariable}, {"value", std::to_string(rank)}});
  append(container["env"],
         {{"name", kNodeNameVariable}, {"valueFrom", {{"fieldRef", {{"fieldPath", "spec.nodeName"}}}}}});
  append(container["envFrom"], {{"secretRef", {{"name", kube_name(plan)}}}});
  add_resources(asked, container);
  add_shared_memory(spec, container);
  return pod;
}

std::vector<std::string> environment_for_pods(std::vector<std::string> environment) {
  constexpr std::array<std::string_view, 8> kOfThisMachine = {"PATH",  "HOME",   "USER",       "LOGNAME",
                                                              "SHELL", "TMPDIR", "SLURM_CONF", "LD_PRELOAD"};
  std::erase_if(environment, [&](const std::string& entry) {
    return std::ranges::find(kOfThisMachine, base::word_of(entry, '=')) != kOfThisMachine.end();
  });
  return environment;
}

namespace {

// Whether everything is of the kind that a pod has there: tried once with all that we may add.
bool bears_a_rank(const Json& pod) {
  Plan plan;
  plan.workers = plan.nodes = 2;
  plan.kubernetes = KubernetesRequest{
      .pod = pod, .millicpus = 1, .memory = 1, .gpus = 1, .hosts = 2, .excluded_nodes = {"n"}};
  try {
    pod_object(plan, {}, 0, "", "");
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

}  // namespace

Result<Json> decode_pod_template(std::string_view text, const std::string& where) {
  Json pod = TRY(base::parse_typed_yaml(text, where));
  const auto no_pod = [&](const char* why) {
    return Error{"cannot use the pod template", where, why, "a Pod as kubectl takes it, with one container"};
  };
  if (!pod.is_object() || base::text_at(pod, "kind") != "Pod") return no_pod("its kind is not Pod");
  const Json& containers = base::field_at(pod, "spec", "containers");
  if (!containers.is_array() || containers.empty() || !containers[0].is_object())
    return no_pod("it has no container");
  if (base::text_at(containers[0], "image").empty()) return no_pod("its container has no image");
  if (!bears_a_rank(pod)) return no_pod("what it says is not where a Pod has it");
  return pod;
}

Json usual_pod(const std::string& image, const std::filesystem::path& state_folder) {
  const Json mount = {{"name", "lockstep-state"}, {"mountPath", state_folder.string()}};
  const Json volume = {{"name", "lockstep-state"},
                       {"hostPath", {{"path", state_folder.string()}, {"type", "Directory"}}}};
  const Json container = {{"name", "rank"}, {"image", image}, {"volumeMounts", Json::array({mount})}};
  return {{"kind", "Pod"},
          {"metadata", Json::object()},
          {"spec", {{"containers", Json::array({container})}, {"volumes", Json::array({volume})}}}};
}

std::string image_of(const Json& pod) {
  const Json& containers = base::list_at(pod, "spec", "containers");
  return containers.empty() ? "" : base::text_at(containers[0], "image");
}

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

Result<void> AttemptPods::remove() {
  const base::Json options = {
      {"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"propagationPolicy", "Background"}};
  TRY(api_.send("DELETE", path_of("configmaps", kube_name(plan_)), options));
  return {};
}

}  // namespace lockstep::service
