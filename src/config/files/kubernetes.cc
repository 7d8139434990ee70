// Kubernetes manifests: the pods that a job becomes, the services that name them, the policies between them.
#include <fmt/format.h>

#include "config/files/yaml_file.h"
#include "config/reading.h"

namespace lockstep::config {
namespace {

using base::Json;
using Pod = Fields::Pod;
using Service = Fields::Service;
using Policy = Fields::Policy;
using Rule = Fields::PolicyRule;

Json labels_of(const YamlNode& node) {
  Json labels = Json::array();
  for (const std::string& key : node.keys()) labels.push_back(key + "=" + node[key].text());
  return labels;
}

struct PodGroup {
  std::string kind;  // "PyTorchJob"
  std::string job;
  std::string role;  // "Worker"
  std::int64_t replicas = 1;
};

class PodReader {
 public:
  PodReader(const YamlNode& pod, const YamlNode& metadata, const Reading& reading)
      : pod_(pod), metadata_(metadata), reading_(reading) {}

  void read(const PodGroup& group) {
    group_ = reading_.launch.append_group(Fields::kPods, pod_.origin());
    set(Pod::kKind, group.kind);
    set(Pod::kJob, group.job);
    set(Pod::kRole, group.role);
    set(Pod::kReplicas, group.replicas);
    copy(Pod::kHostNetwork, pod_["hostNetwork"], pod_["hostNetwork"].is_true());
    copy(Pod::kDnsPolicy, pod_["dnsPolicy"], pod_["dnsPolicy"].text());
    copy(Pod::kSubdomain, pod_["subdomain"], pod_["subdomain"].text());
    copy(Pod::kLabels, metadata_["labels"], labels_of(metadata_["labels"]));
    copy(Pod::kAnnotations, metadata_["annotations"], labels_of(metadata_["annotations"]));
    copy(Pod::kAntiAffinity, pod_["affinity"]["podAntiAffinity"], true);
    read_shared_memory();
    const YamlNode container = pod_["containers"].at(0);
    read_container(container);
    read_its_command(container);
  }

 private:
  template <typename T>
  void set(const Member<T>& member, Json value) {
    reading_.launch.set(group_->at(member), std::move(value), pod_.origin());
  }
  template <typename T>
  void copy(const Member<T>& member, const YamlNode& from, Json value) {
    if (from.exists()) reading_.launch.set(group_->at(member), std::move(value), from.origin());
  }

  // An emptyDir in memory that some container mounts at /dev/shm.
  void read_shared_memory() {
    const YamlNode mounts = pod_["containers"].at(0)["volumeMounts"];
    for (std::size_t i = 0; i < mounts.size(); ++i) {
      if (mounts.at(i)["mountPath"].text() != "/dev/shm") continue;
      const YamlNode volumes = pod_["volumes"];
      for (std::size_t k = 0; k < volumes.size(); ++k) {
        if (volumes.at(k)["name"].text() != mounts.at(i)["name"].text()) continue;
        const YamlNode limit = volumes.at(k)["emptyDir"]["sizeLimit"];
        copy(Pod::kHasSharedMemory, volumes.at(k), true);
        if (const auto size = size_in_bytes(limit.text())) copy(Pod::kSharedMemoryBytes, limit, *size);
      }
    }
  }

  void read_container(const YamlNode& container) {
    copy(Pod::kImage, container["image"], container["image"].text());
    const YamlNode variables = container["env"];
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const YamlNode value = variables.at(i)["value"];
      if (value.exists())
        reading_.launch.set(Fields::entry(group_->at(Pod::kVariables), variables.at(i)["name"].text()),
                            value.text(), value.origin());
    }
    const YamlNode limits = container["resources"]["limits"];
    for (const std::string& resource : limits.keys()) {
      if (resource.ends_with("/gpu"))
        copy(Pod::kGpus, limits[resource], limits[resource].number().value_or(0));
      const bool is_rdma = resource.find("rdma") != std::string::npos ||
                           resource.find("hca") != std::string::npos || resource.ends_with("/ib");
      if (is_rdma) copy(Pod::kRdma, limits[resource], resource);
    }
    const YamlNode security = container["securityContext"];
    const YamlNode added = security["capabilities"]["add"];
    if (security["privileged"].is_true()) copy(Pod::kMayLockMemory, security, true);
    for (std::size_t i = 0; i < added.size(); ++i) {
      if (added.at(i).text() == "IPC_LOCK" || added.at(i).text() == "ALL")
        copy(Pod::kMayLockMemory, added, true);
    }
    const YamlNode ports = container["ports"];
    for (std::size_t i = 0; i < ports.size(); ++i) {
      if (const auto port = ports.at(i)["hostPort"].number())
        reading_.launch.append(group_->at(Pod::kHostPorts), *port, ports.at(i).origin());
    }
  }

  void read_its_command(const YamlNode& container) {
    Words words;
    for (const char* part : {"command", "args"}) {
      for (std::size_t i = 0; i < container[part].size(); ++i) words.push_back(container[part].at(i).text());
    }
    if (words.empty()) return;
    Reading inside = reading_;
    inside.place = (container["command"].exists() ? container["command"] : container["args"]).origin();
    inside.place.how.clear();
    read_command(words, inside);
    if (const auto processes = whole_number(reading_.launch.text(Fields::kTorchrunRanksPerNode)))
      set(Pod::kRanks, *processes);
  }

  YamlNode pod_;
  YamlNode metadata_;
  const Reading& reading_;
  std::optional<NamedField<Group>> group_;
};

void read_template(const YamlNode& node, const PodGroup& group, const Reading& reading) {
  if (!node["spec"].exists()) return;
  PodReader(node["spec"], node["metadata"], reading).read(group);
}

void read_replicas(const YamlNode& object, const std::string& member, const Reading& reading) {
  const YamlNode roles = object["spec"][member];
  for (const std::string& role : roles.keys()) {
    const PodGroup group{object["kind"].text(), object["metadata"]["name"].text(), role,
                         roles[role]["replicas"].number().value_or(1)};
    read_template(roles[role]["template"], group, reading);
  }
}

void read_job_set(const YamlNode& object, const Reading& reading) {
  const YamlNode jobs = object["spec"]["replicatedJobs"];
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const YamlNode job = jobs.at(i)["template"]["spec"];
    const std::int64_t pods = job["parallelism"].number().value_or(1);
    const PodGroup group{"JobSet", object["metadata"]["name"].text(), jobs.at(i)["name"].text(),
                         jobs.at(i)["replicas"].number().value_or(1) * pods};
    read_template(job["template"], group, reading);
  }
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

void read_rules(const YamlNode& rules, const char* peers, const NamedField<Listed>& list,
                const Reading& reading) {
  reading.launch.set(list, Json::array(), rules.origin());
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const Origin origin = rules.at(i).origin();
    const auto rule = reading.launch.append_group(list, origin);
    reading.launch.set(rule.at(Rule::kAnyPeer), rules.at(i)[peers].size() == 0, origin);
    reading.launch.set(rule.at(Rule::kAnyPort), rules.at(i)["ports"].size() == 0, origin);
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

}  // namespace

void read_kubernetes(const YamlNode& object, const Reading& reading) {
  const std::string kind = object["kind"].text();
  const PodGroup one{kind, object["metadata"]["name"].text(), "Pod", 1};
  if (!reading.launch.has(Fields::kKubernetes))
    reading.launch.append(Fields::kLaunchers, "kubernetes", object.origin());
  reading.launch.set_default(Fields::kPods, Json::array(), object.origin());
  reading.launch.set_default(Fields::kServices, Json::array(), object.origin());
  reading.launch.set_default(Fields::kPolicies, Json::array(), object.origin());
  if (kind == "PyTorchJob") read_replicas(object, "pytorchReplicaSpecs", reading);
  if (kind == "TFJob") read_replicas(object, "tfReplicaSpecs", reading);
  if (kind == "MPIJob") read_replicas(object, "mpiReplicaSpecs", reading);
  if (kind == "JobSet") read_job_set(object, reading);
  if (kind == "Pod") PodReader(object["spec"], object["metadata"], reading).read(one);
  if (kind == "Job" || kind == "StatefulSet" || kind == "Deployment") {
    PodGroup group = one;
    const char* const count = kind == "Job" ? "parallelism" : "replicas";
    group.replicas = object["spec"][count].number().value_or(1);
    read_template(object["spec"]["template"], group, reading);
  }
  if (kind == "Service") read_service(object, reading);
  if (kind == "NetworkPolicy") read_policy(object, reading);
}

}  // namespace lockstep::config
