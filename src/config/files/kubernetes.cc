// Kubernetes manifests: the pods that each kind of job becomes, the services that name them, the policies
// between them.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "config/files/pods.h"
#include "config/files/yaml_file.h"
#include "config/reading.h"
#include "launchers/launcher.h"

namespace lockstep::config {
namespace {

using base::Json;
using Service = Fields::Service;
using Policy = Fields::Policy;
using Rule = Fields::PolicyRule;

constexpr int kMaxObjectDepth = 8;  // of objects that hold others

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return text;
}

std::string name_of(const YamlNode& object) {
  return object["metadata"]["name"].text();
}

std::optional<std::int64_t> product(std::optional<std::int64_t> one, std::optional<std::int64_t> other) {
  constexpr std::int64_t kMax = 1'000'000;
  if (!one || !other || *one < 0 || *other < 0 || *one > kMax || *other > kMax) return std::nullopt;
  return *one * *other;
}

// PyTorchJob and its kin: a template for each role.
void read_roles(const YamlNode& object, std::string_view member, const Reading& reading) {
  const YamlNode roles = object["spec"][member];
  for (const std::string& role : roles.keys()) {
    const auto count = count_in(roles[role]["replicas"]);
    const PodGroup group{object["kind"].text(), name_of(object), role, count,
                         numbered_names(name_of(object) + "-" + lower(role), count)};
    read_pods(roles[role]["template"], group, reading);
  }
}

// MPIJob: the host file of the launcher names each worker with its slots.
void read_mpi_job(const YamlNode& object, const Reading& reading) {
  read_roles(object, "mpiReplicaSpecs", reading);
  const YamlNode workers = object["spec"]["mpiReplicaSpecs"]["Worker"];
  const YamlNode slots = object["spec"]["slotsPerWorker"];
  const auto count = count_in(workers["replicas"]);
  const auto slots_of_each = count_in(slots);
  if (!workers.exists() || !count || !slots_of_each || reading.launch.has(Fields::kHostList)) return;
  for (const std::string& name : numbered_names(name_of(object) + "-worker", count)) {
    const auto host = reading.launch.append_group(Fields::kHostList, workers["replicas"].origin());
    reading.launch.set(host.at(Fields::Host::kName), name, workers["replicas"].origin());
    reading.launch.set(host.at(Fields::Host::kSlots), *slots_of_each,
                       slots.exists() ? slots.origin() : workers.origin());
  }
}

// JobSet, and the template of a TrainingRuntime.
void read_job_set(const YamlNode& object, const YamlNode& spec, const Reading& reading) {
  const YamlNode jobs = spec["replicatedJobs"];
  const std::string name = object["kind"].text() == "JobSet" ? name_of(object) : std::string();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const YamlNode job = jobs.at(i)["template"]["spec"];
    const auto copies = count_in(jobs.at(i)["replicas"]);
    const auto pods = count_in(job["parallelism"]);
    PodGroup group{
        object["kind"].text(), name_of(object), jobs.at(i)["name"].text(), product(copies, pods), {}};
    for (const std::string& one : numbered_names(name.empty() ? "" : name + "-" + group.role, copies)) {
      for (std::string& pod : numbered_names(one, pods)) group.names.push_back(std::move(pod));
    }
    read_pods(job["template"], group, reading);
  }
}

// TrainJob: the runtime that it names has the pods; what it says itself wins over that.
void read_train_job(const YamlNode& object, const Reading& reading) {
  const YamlNode trainer = object["spec"]["trainer"];
  const YamlNode nodes = trainer["numNodes"];
  const YamlNode ranks = trainer["numProcPerNode"];
  const std::string runtime = object["spec"]["runtimeRef"]["name"].text();
  reading.fault(fmt::format("TrainJob: what its runtime{} adds is not known here{}",
                            runtime.empty() ? "" : " " + runtime,
                            trainer.exists() ? "" : ", and it says nothing of its own"));
  if (!trainer.exists()) return;
  Words words;
  for (const char* part : {"command", "args"}) {
    for (std::size_t i = 0; i < trainer[part].size(); ++i) words.push_back(trainer[part].at(i).text());
  }
  Reading inside = reading;
  inside.place = trainer.origin();
  inside.place.how.clear();
  for (const char* name : {"PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR",
                           "PET_MASTER_PORT", "MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK"})
    inside.put_variable(name, shell::open_part("set by the operator of TrainJob"), inside.place);
  if (!words.empty()) read_command(CommandLine(words), inside);
  if (nodes.number()) reading.launch.set_default(Fields::kNodes, *nodes.number(), nodes.origin());
  if (ranks.number()) reading.launch.set_default(Fields::kRanksPerNode, *ranks.number(), ranks.origin());
}

// Ray starts the ranks itself, after its cluster is up.
void read_ray(const YamlNode& object, const YamlNode& cluster, const Reading& reading) {
  const std::string kind = object["kind"].text();
  const YamlNode head = cluster["headGroupSpec"];
  const Origin origin = object.origin();
  reading.launch.append(Fields::kLaunchers, "ray", origin);
  reading.launch.set(Fields::kUnreadLauncher, "ray", origin);
  reading.fault(
      fmt::format("{}: Ray places the ranks when the job runs; only its pods were looked at", kind));
  read_pods(head["template"], {kind, name_of(object), "head", 1, {}}, reading);
  const YamlNode groups = cluster["workerGroupSpecs"];
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const YamlNode group = groups.at(i);
    read_pods(group["template"],
              {kind,
               name_of(object),
               group["groupName"].text(),
               product(count_in(group["replicas"]), count_in(group["numOfHosts"])),
               {}},
              reading);
  }
}

void read_volcano(const YamlNode& object, const Reading& reading) {
  const YamlNode tasks = object["spec"]["tasks"];
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const YamlNode task = tasks.at(i);
    const auto count = count_in(task["replicas"]);
    const std::string role =
        task["name"].text().empty() ? "default" + std::to_string(i) : task["name"].text();
    read_pods(task["template"],
              {"Job", name_of(object), role, count, numbered_names(name_of(object) + "-" + role, count)},
              reading);
  }
  // Its plugins set the names of the pods, MASTER_ADDR and the like.
  if (object["spec"]["plugins"].exists() && reading.launch.has(Fields::kTorchrun))
    reading.leave_open(Fields::kTorchrun, "variables that Volcano's plugins set");
}

void read_leader_and_workers(const YamlNode& object, const Reading& reading) {
  const YamlNode both = object["spec"]["leaderWorkerTemplate"];
  const auto groups = count_in(object["spec"]["replicas"]);
  const auto size = count_in(both["size"]);
  const bool has_leader = both["leaderTemplate"].exists();
  if (has_leader)
    read_pods(both["leaderTemplate"], {"LeaderWorkerSet", name_of(object), "leader", groups, {}}, reading);
  const auto others = size ? std::optional<std::int64_t>(*size - (has_leader ? 1 : 0)) : std::nullopt;
  read_pods(both["workerTemplate"],
            {"LeaderWorkerSet", name_of(object), "worker", product(groups, others), {}}, reading);
}

// Job, StatefulSet, Deployment: one template.
void read_one_template(const YamlNode& object, const YamlNode& spec, const Reading& reading) {
  const std::string kind = object["kind"].text();
  const bool is_job = kind == "Job" || kind == "CronJob";
  const auto count = count_in(spec[is_job ? "parallelism" : "replicas"]);
  PodGroup group{kind, name_of(object), "Pod", count, {}};
  const bool has_numbers = kind == "StatefulSet" || spec["completionMode"].text() == "Indexed";
  if (has_numbers) group.names = numbered_names(name_of(object), count);
  read_pods(spec["template"], group, reading);
}

void read_service(const YamlNode& object, const Reading& reading) {
  const YamlNode spec = object["spec"];
  const auto service = reading.launch.append_group(Fields::kServices, object.origin());
  reading.launch.set(service.at(Service::kName), object["metadata"]["name"].text(), object.origin());
  reading.launch.set(service.at(Service::kIsHeadless), spec["clusterIP"].text() == "None",
                     spec["clusterIP"].origin());
  reading.launch.set(service.at(Service::kSelector), labels_of(spec["selector"]), spec["selector"].origin());
  reading.launch.set(service.at(Service::kPublishesUnready), spec["publishNotReadyAddresses"].is_true(),
                     spec.origin());
  reading.launch.set(service.at(Service::kPortCount), spec["ports"].size(), spec["ports"].origin());
}

// Pods that a selector of a peer takes: all of the namespace when it is empty.
Json peers_of(const YamlNode& rule, const char* member) {
  Json peers = Json::array();
  for (std::size_t i = 0; i < rule[member].size(); ++i) {
    const YamlNode selector = rule[member].at(i)["podSelector"];
    if (selector.exists() || rule[member].at(i).json().contains("podSelector"))
      peers.push_back(labels_of(selector["matchLabels"]));
  }
  return peers;
}

// Whether a rule lets questions for names out: port 53, by UDP where a protocol is named.
bool lets_names_through(const YamlNode& rule) {
  const YamlNode ports = rule["ports"];
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const auto first = ports.at(i)["port"].number();
    const auto last = ports.at(i)["endPort"].exists() ? ports.at(i)["endPort"].number() : first;
    const std::string named = ports.at(i)["port"].text();
    if (!ports.at(i)["port"].exists() || named.find("dns") != std::string::npos) return true;
    if (first && last && *first <= 53 && 53 <= *last) return true;
  }
  if (ports.size() > 0) return false;
  // Every port: of whom? The name server is no pod of the job; a peer that is not one by labels may be it.
  const YamlNode peers = rule["to"];
  if (peers.size() == 0) return true;
  for (std::size_t i = 0; i < peers.size(); ++i) {
    if (peers.at(i)["namespaceSelector"].exists() || peers.at(i).json().contains("namespaceSelector") ||
        peers.at(i)["ipBlock"].exists())
      return true;
  }
  return false;
}

void read_rules(const YamlNode& rules, const char* peers, const NamedField<Listed>& list,
                const Reading& reading) {
  reading.launch.set(list, Json::array(), rules.origin());
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const Origin origin = rules.at(i).origin();
    const auto rule = reading.launch.append_group(list, origin);
    reading.launch.set(rule.at(Rule::kAnyPeer), rules.at(i)[peers].size() == 0, origin);
    reading.launch.set(rule.at(Rule::kAnyPort), rules.at(i)["ports"].size() == 0, origin);
    reading.launch.set(rule.at(Rule::kNamesOpen), lets_names_through(rules.at(i)), origin);
    reading.launch.set(rule.at(Rule::kPeers), peers_of(rules.at(i), peers), origin);
  }
}

void read_policy(const YamlNode& object, const Reading& reading) {
  const YamlNode spec = object["spec"];
  const auto policy = reading.launch.append_group(Fields::kPolicies, object.origin());
  reading.launch.set(policy.at(Policy::kName), object["metadata"]["name"].text(), object.origin());
  reading.launch.set(policy.at(Policy::kSelector), labels_of(spec["podSelector"]["matchLabels"]),
                     spec.origin());
  bool denies_ingress = spec["policyTypes"].size() == 0;
  bool denies_egress = spec["egress"].exists() && spec["policyTypes"].size() == 0;
  for (std::size_t i = 0; i < spec["policyTypes"].size(); ++i) {
    denies_ingress |= spec["policyTypes"].at(i).text() == "Ingress";
    denies_egress |= spec["policyTypes"].at(i).text() == "Egress";
  }
  reading.launch.set(policy.at(Policy::kLimitsIngress), denies_ingress, spec.origin());
  reading.launch.set(policy.at(Policy::kLimitsEgress), denies_egress, spec.origin());
  read_rules(spec["ingress"], "from", policy.at(Policy::kIngress), reading);
  read_rules(spec["egress"], "to", policy.at(Policy::kEgress), reading);
}

// Kinds that start no ranks and say nothing of how they meet.
bool is_no_concern(std::string_view kind) {
  constexpr std::string_view kKinds[] = {"ConfigMap",
                                         "Secret",
                                         "Namespace",
                                         "PersistentVolume",
                                         "PersistentVolumeClaim",
                                         "StorageClass",
                                         "ServiceAccount",
                                         "Role",
                                         "RoleBinding",
                                         "ClusterRole",
                                         "ClusterRoleBinding",
                                         "PriorityClass",
                                         "ResourceQuota",
                                         "LimitRange",
                                         "PodDisruptionBudget",
                                         "HorizontalPodAutoscaler",
                                         "CustomResourceDefinition",
                                         "Ingress",
                                         "Queue",
                                         "LocalQueue",
                                         "ClusterQueue",
                                         "ResourceFlavor",
                                         "WorkloadPriorityClass",
                                         "PodGroup",
                                         "ServiceMonitor",
                                         "PodMonitor",
                                         "Certificate",
                                         "Issuer",
                                         "RuntimeClass",
                                         "NetworkAttachmentDefinition",
                                         "Topology",
                                         "Cohort",
                                         "Endpoints",
                                         "Gateway",
                                         "HTTPRoute"};
  return std::ranges::find(kKinds, kind) != std::end(kKinds);
}

void read_object(const YamlNode& object, const Reading& reading);

bool read_kind(const YamlNode& object, const Reading& reading) {
  const std::string kind = object["kind"].text();
  const YamlNode spec = object["spec"];
  const bool is_volcano = object["apiVersion"].text().starts_with("batch.volcano.sh");
  constexpr std::pair<std::string_view, std::string_view> kRoles[] = {
      {"PyTorchJob", "pytorchReplicaSpecs"}, {"TFJob", "tfReplicaSpecs"},
      {"JAXJob", "jaxReplicaSpecs"},         {"XGBoostJob", "xgbReplicaSpecs"},
      {"PaddleJob", "paddleReplicaSpecs"},   {"MXJob", "mxReplicaSpecs"}};
  for (const auto& [job, member] : kRoles) {
    if (kind == job) return read_roles(object, member, reading), true;
  }
  if (kind == "MPIJob") return read_mpi_job(object, reading), true;
  if (kind == "JobSet") return read_job_set(object, spec, reading), true;
  if (kind == "TrainJob") return read_train_job(object, reading), true;
  if (kind == "TrainingRuntime" || kind == "ClusterTrainingRuntime")
    return read_job_set(object, spec["template"]["spec"], reading), true;
  if (kind == "RayCluster") return read_ray(object, spec, reading), true;
  if (kind == "RayJob") return read_ray(object, spec["rayClusterSpec"], reading), true;
  if (kind == "RayService") return read_ray(object, spec["rayClusterConfig"], reading), true;
  if (kind == "LeaderWorkerSet") return read_leader_and_workers(object, reading), true;
  if (kind == "Job" && is_volcano) return read_volcano(object, reading), true;
  if (kind == "Pod") return read_pods(object, {kind, name_of(object), "Pod", 1, {}}, reading), true;
  if (kind == "Job" || kind == "StatefulSet" || kind == "Deployment" || kind == "ReplicaSet" ||
      kind == "DaemonSet")
    return read_one_template(object, spec, reading), true;
  if (kind == "CronJob") return read_one_template(object, spec["jobTemplate"]["spec"], reading), true;
  if (kind == "Service") return read_service(object, reading), true;
  if (kind == "NetworkPolicy") return read_policy(object, reading), true;
  return false;
}

// What holds other objects.
bool read_holder(const YamlNode& object, const Reading& reading) {
  const std::string kind = object["kind"].text();
  const bool is_wrapper = kind == "AppWrapper";
  if (!is_wrapper && kind != "List" && !kind.ends_with("List")) return false;
  const YamlNode items = is_wrapper ? object["spec"]["components"] : object["items"];
  Reading inside = reading;
  if (++inside.depth > kMaxObjectDepth) return true;
  for (std::size_t i = 0; i < items.size(); ++i)
    read_object(is_wrapper ? items.at(i)["template"] : items.at(i), inside);
  return true;
}

void read_object(const YamlNode& object, const Reading& reading) {
  const std::string kind = object["kind"].text();
  if (is_no_concern(kind) || read_holder(object, reading)) return;
  const bool is_first = !reading.launch.has(Fields::kKubernetes);
  LaunchConfig before = reading.launch;
  if (is_first) reading.launch.append(Fields::kLaunchers, "kubernetes", object.origin());
  reading.launch.set_default(Fields::kPods, Json::array(), object.origin());
  reading.launch.set_default(Fields::kServices, Json::array(), object.origin());
  reading.launch.set_default(Fields::kPolicies, Json::array(), object.origin());
  if (read_kind(object, reading)) return;
  reading.launch = std::move(before);
  Reading here = reading;
  here.place = object["kind"].origin();
  here.fault(kind == "Kustomization"
                 ? std::string("a kustomization names other files: give what 'kubectl kustomize' prints")
                 : fmt::format("kind {} is not read", kind));
}

}  // namespace

void read_kubernetes(const YamlNode& object, const Reading& reading) {
  read_object(object, reading);
}

}  // namespace lockstep::config
