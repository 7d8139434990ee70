#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/net/address.h"
#include "base/yaml.h"
#include "config/files/yaml_file.h"
#include "config/launch_config.h"
#include "config/reading.h"
#include "config/slurm.h"
#include "launchers/launcher.h"

namespace lockstep::config {
namespace {

// One direction of a NetworkPolicy.
struct Direction {
  bool is_limited = false;
  struct Rule {
    bool any_peer = false;
    std::vector<TextList> peers = {};  // labels
  };
  std::vector<Rule> open = {};      // on every port
  bool lets_names_through = false;  // to the name server
};

struct PolicyText {
  TextList selector = {};
  Direction ingress = {};
  Direction egress = {};
};

template <typename T>
T value_or_none(const LaunchConfig& launch, const NamedField<T>& field) {
  auto found = launch.get(field);
  return found ? std::move(found->value) : T();
}

Direction direction_of(const LaunchConfig& launch, const NamedField<bool>& limits,
                       const NamedField<Listed>& rules) {
  using Rule = Fields::PolicyRule;
  Direction direction{.is_limited = value_or_none(launch, limits)};
  for (std::size_t i = 0; i < launch.count(rules); ++i) {
    const auto rule = Fields::item(rules, i);
    direction.lets_names_through |= value_or_none(launch, rule.at(Rule::kNamesOpen));
    if (!value_or_none(launch, rule.at(Rule::kAnyPort))) continue;
    Direction::Rule open{.any_peer = value_or_none(launch, rule.at(Rule::kAnyPeer))};
    for (std::size_t k = 0; k < launch.count(rule.at(Rule::kPeers)); ++k)
      open.peers.push_back(value_or_none(launch, Fields::peer(rule, k)));
    direction.open.push_back(std::move(open));
  }
  return direction;
}

std::vector<PolicyText> policies_of(const LaunchConfig& launch) {
  using Policy = Fields::Policy;
  std::vector<PolicyText> policies;
  for (std::size_t i = 0; i < launch.count(Fields::kPolicies); ++i) {
    const auto policy = Fields::item(Fields::kPolicies, i);
    policies.push_back({value_or_none(launch, policy.at(Policy::kSelector)),
                        direction_of(launch, policy.at(Policy::kLimitsIngress), policy.at(Policy::kIngress)),
                        direction_of(launch, policy.at(Policy::kLimitsEgress), policy.at(Policy::kEgress))});
  }
  return policies;
}

bool selects(const TextList& selector, const TextList& labels) {
  return std::ranges::all_of(
      selector, [&](const std::string& wanted) { return std::ranges::find(labels, wanted) != labels.end(); });
}

bool lets_through(const Direction& direction, const TextList& labels) {
  return std::ranges::any_of(direction.open, [&](const Direction::Rule& rule) {
    return rule.any_peer || std::ranges::any_of(rule.peers, [&](const TextList& selector) {
             return selects(selector, labels);
           });
  });
}

// Policies add up: one that selects the pods closes them, any rule of any of them opens.
bool are_open(const std::vector<PolicyText>& policies, const TextList& labels,
              Direction PolicyText::*direction) {
  bool is_limited = false;
  bool is_let_through = false;
  for (const PolicyText& policy : policies) {
    if (!(policy.*direction).is_limited || !selects(policy.selector, labels)) continue;
    is_limited = true;
    is_let_through |= lets_through(policy.*direction, labels);
  }
  return !is_limited || is_let_through;
}

bool are_names_open(const std::vector<PolicyText>& policies, const TextList& labels) {
  bool is_limited = false;
  bool is_let_through = false;
  for (const PolicyText& policy : policies) {
    if (!policy.egress.is_limited || !selects(policy.selector, labels)) continue;
    is_limited = true;
    is_let_through |= policy.egress.lets_names_through;
  }
  return !is_limited || is_let_through;
}

// How many pods run ranks, and whether the master is named like one of them and is none.
void derive_pods(LaunchConfig& launch) {
  std::int64_t pods = 0;
  bool are_counted = true;
  std::set<std::string> names;
  std::set<std::string> jobs;
  bool are_named = true;
  for (std::size_t i = 0; i < launch.count(Fields::kPods); ++i) {
    const auto pod = Fields::item(Fields::kPods, i);
    const auto replicas = launch.number(pod.at(Fields::Pod::kReplicas));
    are_counted = are_counted && replicas && *replicas >= 0 && *replicas <= 1'000'000;
    if (launch.text(pod.at(Fields::Pod::kRole)) != "Launcher") pods += replicas.value_or(0);
    const auto own = launch.get(pod.at(Fields::Pod::kNames));
    are_named = are_named && own && !own->value.empty();
    if (own) names.insert(own->value.begin(), own->value.end());
    jobs.insert(launch.text(pod.at(Fields::Pod::kJob)));
    const auto variables = launch.get(pod.at(Fields::Pod::kVariables));
    if (!variables) continue;
    if (const auto master = variables->value.find("MASTER_ADDR"); master != variables->value.end())
      launch.set_default(Fields::kMasterAddress, master->second,
                         *launch.origin_of(Fields::entry(pod.at(Fields::Pod::kVariables), master->first)));
  }
  if (launch.count(Fields::kPods) == 0) return;
  if (are_counted) launch.set(Fields::kRankPods, pods, *launch.origin_of(Fields::kPods));
  const auto master = launch.get(Fields::kMasterAddress);
  if (!master || !are_named) return;
  const std::string label = master->value.substr(0, master->value.find('.'));
  bool is_known = names.contains(label);
  for (std::size_t i = 0; i < launch.count(Fields::kServices); ++i)
    is_known =
        is_known || launch.text(Fields::item(Fields::kServices, i).at(Fields::Service::kName)) == label;
  const bool is_like_a_pod = std::ranges::any_of(
      jobs, [&](const std::string& job) { return !job.empty() && label.starts_with(job + "-"); });
  if (!is_known && is_like_a_pod) launch.set(Fields::kMasterIsNoPod, label, master->origin);
}

// Adds to each group of pods "ingress_open" and "egress_open": whether pods of the group may be reached by,
// and reach, each other on every port.
void derive_policies(LaunchConfig& launch) {
  if (launch.count(Fields::kPolicies) == 0) return;
  const std::vector<PolicyText> policies = policies_of(launch);
  const Origin origin = *launch.origin_of(Fields::item(Fields::kPolicies, 0));
  for (std::size_t i = 0; i < launch.count(Fields::kPods); ++i) {
    const auto pod = Fields::item(Fields::kPods, i);
    const auto labels = launch.get(pod.at(Fields::Pod::kLabels));
    const TextList own = labels ? labels->value : TextList();
    launch.set(pod.at(Fields::Pod::kIngressIsOpen), are_open(policies, own, &PolicyText::ingress), origin);
    launch.set(pod.at(Fields::Pod::kEgressIsOpen), are_open(policies, own, &PolicyText::egress), origin);
    launch.set(pod.at(Fields::Pod::kNamesAreOpen), are_names_open(policies, own), origin);
  }
}

std::optional<std::string> named_file(const Reading& reading, const Field<std::string>& field) {
  const std::string name = reading.launch.text(field);
  if (name.empty() || name == "/dev/null") return std::nullopt;
  auto text = reading.text_of(name);
  if (text.ok()) return std::move(text).value();
  const Origin* origin = reading.launch.origin_of(field);
  reading.all.faults.push_back(
      {name, std::nullopt,
       fmt::format("cannot be read, though {} names it: {}", origin->how, text.error().why)});
  return std::nullopt;
}

void read_named_files(const Reading& reading) {
  for (const Field<std::string>& path : {Fields::kMpiHostfile, Fields::kHorovodHostfile,
                                         Fields::kDeepspeedHostfile, Fields::kAccelerateHostfile}) {
    const auto text = named_file(reading, path);
    if (!text || reading.launch.has(Fields::kHostList)) continue;
    Reading inside = reading;
    inside.place = {reading.launch.text(path), std::nullopt, ""};
    read_hostfile(*text, inside);
  }
  if (const auto text = named_file(reading, Fields::kAccelerateConfigFile)) {
    const std::string name = reading.launch.text(Fields::kAccelerateConfigFile);
    const auto documents = base::parse_yaml_documents(*text, name);
    if (!documents.ok()) {
      reading.all.faults.push_back(
          {name, std::nullopt, documents.error().where + ": " + documents.error().why});
    } else if (!documents.value().empty()) {
      read_accelerate(YamlNode(documents.value().front(), name), reading);
    }
  }
}

void read_host_flags(const Reading& reading) {
  for (const Field<std::string>& path : {Fields::kMpiHosts, Fields::kHorovodHosts}) {
    const std::string list = reading.launch.text(path);
    if (list.empty() || reading.launch.has(Fields::kHostList)) continue;
    Reading inside = reading;
    const Origin origin = *reading.launch.origin_of(path);
    inside.place = origin;
    read_host_list(list, origin.how, inside);
  }
}

// Set to something that only the running job knows, or perhaps so.
bool is_open(const LaunchConfig& launch, const FieldPath& field) {
  if (launch.has(field)) return false;
  return launch.has(Fields::at_run_time(field)) || launch.has(Fields::open(field.group()));
}

// Every flag of torchrun has a variable that stands for it.
void read_torchrun_variables(LaunchConfig& launch) {
  if (!launch.has(Fields::kTorchrun)) return;
  for (const char* flag : {"nnodes", "nproc_per_node", "node_rank", "rdzv_backend", "rdzv_endpoint",
                           "rdzv_id", "master_addr", "master_port", "standalone", "local_addr"}) {
    const auto field = Fields::flag(launchers::kTorchrun, flag);
    if (is_open(launch, field)) continue;
    const auto variable = Fields::variable(launchers::torchrun_variable(flag));
    if (const auto given = launch.get(variable)) {
      launch.set_default(field, given->value, given->origin);
    } else if (const auto open = launch.get(Fields::at_run_time(variable)); open && !launch.has(field)) {
      launch.set(Fields::at_run_time(field), open->value, open->origin);
    }
  }
}

void split_endpoint(LaunchConfig& launch) {
  const auto given = launch.get(Fields::kRendezvousEndpoint);
  if (!given) return;
  const base::Endpoint endpoint = base::endpoint_of(given->value);
  launch.set(Fields::kRendezvousHost, endpoint.host, given->origin);
  if (!endpoint.port.empty()) launch.set(Fields::kRendezvousPort, endpoint.port, given->origin);
}

void derive_torchrun(LaunchConfig& launch) {
  if (!launch.has(Fields::kTorchrun)) return;
  const Origin by_default{"", std::nullopt, "default of torchrun"};
  split_endpoint(launch);
  if (!is_open(launch, Fields::kRendezvousBackend))
    launch.set_default(Fields::kRendezvousBackend, launchers::kTorchrunBackend, by_default);
  const std::string nodes = launch.text(Fields::kTorchrunNodes);
  const std::size_t colon = nodes.find(':');
  if (launch.has(Fields::kTorchrunNodes)) {
    const Origin origin = *launch.origin_of(Fields::kTorchrunNodes);
    const auto fewest = whole_number(nodes.substr(0, colon));
    const auto most = colon == std::string::npos ? fewest : whole_number(nodes.substr(colon + 1));
    if (fewest) launch.set(Fields::kTorchrunMinNodes, *fewest, origin);
    if (most) launch.set(Fields::kTorchrunMaxNodes, *most, origin);
    if (most) launch.set(Fields::kNodes, *most, origin);
  } else if (!is_open(launch, Fields::kTorchrunNodes)) {
    launch.set(Fields::kNodes, 1, by_default);
  }
  if (launch.has(Fields::kTorchrunStandalone) || is_open(launch, Fields::kRendezvousBackend)) return;
  const bool is_static = launch.text(Fields::kRendezvousBackend) == launchers::kTorchrunBackend;
  launch.set_from(
      Fields::kMasterAddress,
      {is_static ? Fields::kTorchrunMasterAddress : Fields::kRendezvousHost, Fields::kRendezvousHost});
  launch.set_from(Fields::kMasterPort, {is_static ? Fields::kTorchrunMasterPort : Fields::kRendezvousPort,
                                        Fields::kRendezvousPort});
  const bool is_endpoint_open = is_open(launch, Fields::kRendezvousEndpoint);
  if (is_static && !is_endpoint_open && !is_open(launch, Fields::kTorchrunMasterAddress))
    launch.set_default(Fields::kMasterAddress, launchers::kTorchrunAddress, by_default);
  if (is_endpoint_open || is_open(launch, Fields::kTorchrunMasterPort)) return;
  launch.set_default(Fields::kMasterPort,
                     is_static ? launchers::kTorchrunPort : launchers::kTorchrunEndpointPort, by_default);
}

std::set<std::string> host_names(const LaunchConfig& launch) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < launch.count(Fields::kHostList); ++i)
    names.insert(launch.text(Fields::host_name(i)));
  if (const auto cluster = launch.get(Fields::kTensorflowCluster)) {
    for (const TaskAddresses& tasks : cluster->value)
      for (const std::string& address : tasks.addresses) names.insert(base::endpoint_of(address).host);
  }
  return names;
}

void derive_slurm(LaunchConfig& launch) {
  for (const Field<std::string>& path : {Fields::kSbatchResources, Fields::kSrunResources,
                                         Fields::kSbatchGpusPerNode, Fields::kSrunGpusPerNode}) {
    if (const auto count = count_of_gpus(launch.text(path)))
      launch.set_default(Fields::kGpusPerNode, *count, *launch.origin_of(path));
  }
  launch.set_from(Fields::kTasksPerNode, {Fields::kSrunTasksPerNode, Fields::kSbatchTasksPerNode,
                                          Fields::variable("SLURM_NTASKS_PER_NODE")});
}

void derive_sizes(LaunchConfig& launch) {
  const std::set<std::string> hosts = host_names(launch);
  if (!hosts.empty()) {
    const Origin* origin = launch.origin_of(launch.has(Fields::kHostList) ? FieldPath(Fields::kHostList)
                                                                          : Fields::kTensorflowCluster);
    launch.set_default(Fields::kNodes, hosts.size(), *origin);
  }
  launch.set_from(Fields::kNodes, {Fields::kAccelerateMachines, Fields::kDeepspeedNodes, Fields::kSrunNodes,
                                   Fields::kSbatchNodes, Fields::variable("SLURM_NNODES"),
                                   Fields::variable("SLURM_JOB_NUM_NODES"), Fields::variable("NNODES")});
  launch.set_from(Fields::kRanksPerNode,
                  {Fields::kTorchrunRanksPerNode, Fields::kDeepspeedGpus, Fields::kMpiRanksPerNode});
  launch.set_from(Fields::kWorldSize, {Fields::kMpiRanks, Fields::kHorovodRanks, Fields::kAccelerateRanks,
                                       Fields::variable("WORLD_SIZE")});
  launch.set_from(Fields::kMasterAddress, {Fields::kAccelerateMasterAddress, Fields::kDeepspeedMasterAddress,
                                           Fields::variable("MASTER_ADDR")});
  launch.set_from(Fields::kMasterPort, {Fields::kAccelerateMasterPort, Fields::kDeepspeedMasterPort,
                                        Fields::variable("MASTER_PORT")});
  const auto nodes = launch.number(Fields::kNodes);
  const auto processes = launch.number(Fields::kRanksPerNode);
  if (nodes && processes && *nodes > 0 && *processes > 0 && *nodes < 1000000 && *processes < 1000000)
    launch.set_default(Fields::kWorldSize, *nodes * *processes, *launch.origin_of(Fields::kRanksPerNode));
  const auto pods = launch.number(Fields::kRankPods);
  if (pods && *pods > 0) {
    launch.set(Fields::kNodes, *pods, *launch.origin_of(Fields::kPods));
  } else if (launch.count(Fields::kPods) > 0 && !pods) {
    launch.erase(Fields::kNodes);
  }
}

}  // namespace

void derive_job(const Reading& reading) {
  LaunchConfig& launch = reading.launch;
  if (const std::string config = launch.text(Fields::variable("TF_CONFIG"));
      !config.empty() && !launch.has(Fields::kTensorflow)) {
    Reading inside = reading;
    inside.place = *launch.origin_of(Fields::variable("TF_CONFIG"));
    read_tf_config(config, inside);
  }
  read_named_files(reading);
  read_host_flags(reading);
  read_torchrun_variables(launch);
  derive_torchrun(launch);
  derive_slurm(launch);
  derive_pods(launch);
  derive_sizes(launch);
  derive_policies(launch);
  if (const auto nodes = launch.get(Fields::kNodes))
    launch.set(Fields::kIsMultiHost, nodes->value > 1, nodes->origin);
}

}  // namespace lockstep::config
