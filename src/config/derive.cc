#include "config/derive.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/yaml.h"
#include "config/files/small_files.h"
#include "config/files/yaml_file.h"
#include "config/launch_config.h"

namespace lockstep::config {
namespace {

using base::Json;

// Of a NetworkPolicy: the pods that it is about.
bool selects(const Json& selector, const Json& labels) {
  return std::ranges::all_of(
      selector, [&](const Json& wanted) { return std::ranges::find(labels, wanted) != labels.end(); });
}

bool lets_through(const Json& rule, const Json& labels) {
  if (!rule.value("any_port", false)) return false;
  if (rule.value("any_peer", false)) return true;
  return std::ranges::any_of(rule.at("peers"),
                             [&](const Json& selector) { return selects(selector, labels); });
}

// Policies add up: one that selects the pods closes them, any rule of any of them opens.
bool is_open(const Json& policies, const Json& labels, const char* limits, const char* rules) {
  bool is_limited = false;
  bool is_let_through = false;
  for (const Json& policy : policies) {
    if (!policy.value(limits, false) || !selects(policy.at("selector"), labels)) continue;
    is_limited = true;
    is_let_through |=
        std::ranges::any_of(policy.at(rules), [&](const Json& rule) { return lets_through(rule, labels); });
  }
  return !is_limited || is_let_through;
}

// Adds to each group of pods "ingress_open" and "egress_open": whether pods of the group may be reached by,
// and reach, each other on every port.
void derive_policies(LaunchConfig& settings) {
  if (settings.count(field::kPolicies) == 0) return;
  const Json policies = *settings.find(field::kPolicies);
  const Origin origin = *settings.origin_of(field::item(field::kPolicies, 0));
  for (std::size_t i = 0; i < settings.count(field::kPods); ++i) {
    const std::string pod = field::item(field::kPods, i);
    const Json* labels = settings.find(field::member(pod, "labels"));
    const Json own = labels != nullptr ? *labels : Json::array();
    settings.set(field::member(pod, "ingress_open"), is_open(policies, own, "limits_ingress", "ingress"),
                 origin);
    settings.set(field::member(pod, "egress_open"), is_open(policies, own, "limits_egress", "egress"),
                 origin);
  }
}

// The first of the paths that has a value gives it, with its origin.
void take_first(LaunchConfig& settings, std::string_view to, std::initializer_list<std::string_view> from) {
  for (const std::string_view path : from) {
    const Json* value = settings.find(path);
    if (value == nullptr || value->is_structured() || settings.has(to)) continue;
    settings.set(to, Json(*value), *settings.origin_of(path));
  }
}

std::optional<std::string> named_file(const Reading& reading, std::string_view path) {
  const std::string name = reading.settings.text(path);
  if (name.empty() || name == "/dev/null") return std::nullopt;
  auto text = reading.read_file(name);
  if (text.ok()) return std::move(text).value();
  const Origin* origin = reading.settings.origin_of(path);
  reading.faults.push_back(
      {name, std::nullopt,
       fmt::format("cannot be read, though {} names it: {}", origin->how, text.error().why)});
  return std::nullopt;
}

void read_named_files(const Reading& reading) {
  for (const std::string_view path : {field::kMpiHostfile, field::kHorovodHostfile, field::kDeepspeedHostfile,
                                      field::kAccelerateHostfile}) {
    const auto text = named_file(reading, path);
    if (!text || reading.settings.has(field::kHostList)) continue;
    Reading inside = reading;
    inside.place = {reading.settings.text(path), std::nullopt, ""};
    read_hostfile(*text, inside);
  }
  if (const auto text = named_file(reading, field::kAccelerateConfigFile)) {
    const std::string name = reading.settings.text(field::kAccelerateConfigFile);
    const auto documents = base::parse_yaml_documents(*text, name);
    if (!documents.ok()) {
      reading.faults.push_back({name, std::nullopt, documents.error().where + ": " + documents.error().why});
    } else if (!documents.value().empty()) {
      read_accelerate(YamlNode(documents.value().front(), name), reading);
    }
  }
}

void read_host_flags(const Reading& reading) {
  for (const std::string_view path : {field::kMpiHosts, field::kHorovodHosts}) {
    const std::string list = reading.settings.text(path);
    if (list.empty() || reading.settings.has(field::kHostList)) continue;
    Reading inside = reading;
    const Origin origin = *reading.settings.origin_of(path);
    inside.place = origin;
    read_host_list(list, origin.how, inside);
  }
}

// Every flag of torchrun has a variable that stands for it.
void read_torchrun_variables(LaunchConfig& settings) {
  if (!settings.has(field::kTorchrun)) return;
  for (const char* flag : {"nnodes", "nproc_per_node", "node_rank", "rdzv_backend", "rdzv_endpoint",
                           "rdzv_id", "master_addr", "master_port", "standalone", "local_addr"}) {
    std::string variable = std::string("PET_") + flag;
    std::ranges::transform(variable, variable.begin(),
                           [](unsigned char letter) { return std::toupper(letter); });
    const std::string path = field::variable(variable);
    if (settings.has(path))
      settings.set_default(field::member(field::kTorchrun, flag), settings.text(path),
                           *settings.origin_of(path));
  }
}

void split_endpoint(LaunchConfig& settings) {
  const auto given = settings.get(field::kRendezvousEndpoint);
  if (!given) return;
  const Endpoint endpoint = endpoint_of(given->value);
  settings.set(field::kRendezvousHost, endpoint.host, given->origin);
  if (!endpoint.port.empty()) settings.set(field::kRendezvousPort, endpoint.port, given->origin);
}

void derive_torchrun(LaunchConfig& settings) {
  if (!settings.has(field::kTorchrun)) return;
  const Origin by_default{"", std::nullopt, "default of torchrun"};
  split_endpoint(settings);
  settings.set_default(field::kRendezvousBackend, "static", by_default);
  const std::string nodes = settings.text(field::kTorchrunNodes);
  const std::size_t colon = nodes.find(':');
  if (settings.has(field::kTorchrunNodes)) {
    const Origin origin = *settings.origin_of(field::kTorchrunNodes);
    const auto fewest = whole_number(nodes.substr(0, colon));
    const auto most = colon == std::string::npos ? fewest : whole_number(nodes.substr(colon + 1));
    if (fewest) settings.set(field::kTorchrunMinNodes, *fewest, origin);
    if (most) settings.set(field::kTorchrunMaxNodes, *most, origin);
    if (most) settings.set(field::kNodes, *most, origin);
  } else if (!settings.has(field::at_run_time(field::kTorchrunNodes))) {
    settings.set(field::kNodes, 1, by_default);
  }
  if (settings.has(field::kTorchrunStandalone)) return;
  const bool is_static = settings.text(field::kRendezvousBackend) == "static";
  take_first(settings, field::kMasterAddress,
             {is_static ? field::kTorchrunMasterAddress : field::kRendezvousHost, field::kRendezvousHost});
  take_first(settings, field::kMasterPort,
             {is_static ? field::kTorchrunMasterPort : field::kRendezvousPort, field::kRendezvousPort});
  const bool is_known_later = settings.has(field::at_run_time(field::kTorchrunMasterAddress)) ||
                              settings.has(field::at_run_time(field::kRendezvousEndpoint));
  if (is_static && !is_known_later) settings.set_default(field::kMasterAddress, "127.0.0.1", by_default);
  if (settings.has(field::at_run_time(field::kTorchrunMasterPort)) ||
      settings.has(field::at_run_time(field::kRendezvousEndpoint)))
    return;
  settings.set_default(field::kMasterPort, is_static ? "29500" : "29400", by_default);
}

std::set<std::string> host_names(const LaunchConfig& settings) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < settings.count(field::kHostList); ++i)
    names.insert(settings.text(field::host_name(i)));
  const Json* cluster = settings.find(field::kTensorflowCluster);
  if (cluster != nullptr && cluster->is_object()) {
    for (const Json& tasks : *cluster) {
      for (const Json& task : tasks) {
        if (task.is_string()) names.insert(endpoint_of(task.get_ref<const std::string&>()).host);
      }
    }
  }
  return names;
}

// "gpu:h100:8", "gpu:8", "8".
std::optional<std::int64_t> count_of_gpus(std::string_view request) {
  return whole_number(
      request.substr(request.rfind(':') == std::string_view::npos ? 0 : request.rfind(':') + 1));
}

void derive_slurm(LaunchConfig& settings) {
  for (const std::string_view path :
       {field::kSbatchResources, field::kSrunResources, field::kSbatchGpusPerNode, field::kSrunGpusPerNode}) {
    if (const auto count = count_of_gpus(settings.text(path)))
      settings.set_default(field::kGpusPerNode, *count, *settings.origin_of(path));
  }
  take_first(
      settings, field::kTasksPerNode,
      {field::kSrunTasksPerNode, field::kSbatchTasksPerNode, field::variable("SLURM_NTASKS_PER_NODE")});
}

void derive_sizes(LaunchConfig& settings) {
  const std::set<std::string> hosts = host_names(settings);
  if (!hosts.empty()) {
    const Origin* origin =
        settings.origin_of(settings.has(field::kHostList) ? field::kHostList : field::kTensorflowCluster);
    settings.set_default(field::kNodes, hosts.size(), *origin);
  }
  take_first(
      settings, field::kNodes,
      {field::kAccelerateMachines, field::kDeepspeedNodes, field::kSrunNodes, field::kSbatchNodes,
       field::variable("SLURM_NNODES"), field::variable("SLURM_JOB_NUM_NODES"), field::variable("NNODES")});
  take_first(settings, field::kRanksPerNode,
             {field::kTorchrunRanksPerNode, field::kDeepspeedGpus, field::kMpiRanksPerNode});
  take_first(
      settings, field::kWorldSize,
      {field::kMpiRanks, field::kHorovodRanks, field::kAccelerateRanks, field::variable("WORLD_SIZE")});
  take_first(
      settings, field::kMasterAddress,
      {field::kAccelerateMasterAddress, field::kDeepspeedMasterAddress, field::variable("MASTER_ADDR")});
  take_first(settings, field::kMasterPort,
             {field::kAccelerateMasterPort, field::kDeepspeedMasterPort, field::variable("MASTER_PORT")});
  const auto nodes = settings.number(field::kNodes);
  const auto processes = settings.number(field::kRanksPerNode);
  if (nodes && processes && *nodes > 0 && *processes > 0 && *nodes < 1000000 && *processes < 1000000)
    settings.set_default(field::kWorldSize, *nodes * *processes, *settings.origin_of(field::kRanksPerNode));
  std::int64_t pods = 0;
  for (std::size_t i = 0; i < settings.count(field::kPods); ++i) {
    if (settings.text(field::member(field::item(field::kPods, i), "role")) == "Launcher") continue;
    pods += std::clamp<std::int64_t>(
        settings.number(field::member(field::item(field::kPods, i), "replicas")).value_or(1), 0, 1000000);
  }
  if (pods > 0) settings.set(field::kNodes, pods, *settings.origin_of(field::kPods));
}

}  // namespace

void derive_job(const Reading& reading) {
  LaunchConfig& settings = reading.settings;
  if (const std::string config = settings.text(field::variable("TF_CONFIG"));
      !config.empty() && !settings.has(field::kTensorflow)) {
    Reading inside = reading;
    inside.place = *settings.origin_of(field::variable("TF_CONFIG"));
    read_tf_config(config, inside);
  }
  read_named_files(reading);
  read_host_flags(reading);
  read_torchrun_variables(settings);
  derive_torchrun(settings);
  derive_slurm(settings);
  derive_sizes(settings);
  derive_policies(settings);
  if (const auto nodes = settings.get(field::kNodes))
    settings.set(field::kIsMultiHost, nodes->value > 1, nodes->origin);
}

}  // namespace lockstep::config
