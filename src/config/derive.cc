#include "config/derive.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/yaml.h"
#include "config/derive_policies.h"
#include "config/files/small_files.h"
#include "config/files/tf_config.h"
#include "config/files/yaml_file.h"

namespace lockstep::config {
namespace {

using base::Json;

// The first of the paths that has a value gives it, with its origin.
void take_first(Settings& settings, const std::string& to, std::initializer_list<const char*> from) {
  for (const char* path : from) {
    const Json* value = settings.find(path);
    if (value == nullptr || value->is_structured() || settings.has(to)) continue;
    settings.set(to, Json(*value), *settings.origin_of(path));
  }
}

std::optional<std::string> named_file(const Reading& reading, const char* path) {
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
  for (const char* path :
       {"mpi/hostfile", "horovod/hostfile", "deepspeed/hostfile", "accelerate/deepspeed_hostfile"}) {
    const auto text = named_file(reading, path);
    if (!text || reading.settings.has("host_list")) continue;
    Reading inside = reading;
    inside.place = {reading.settings.text(path), std::nullopt, ""};
    read_hostfile(*text, inside);
  }
  if (const auto text = named_file(reading, "accelerate/config_file")) {
    const std::string name = reading.settings.text("accelerate/config_file");
    const auto documents = base::parse_yaml_documents(*text, name);
    if (!documents.ok()) {
      reading.faults.push_back({name, std::nullopt, documents.error().where + ": " + documents.error().why});
    } else if (!documents.value().empty()) {
      read_accelerate(YamlNode(documents.value().front(), name), reading);
    }
  }
}

void read_host_flags(const Reading& reading) {
  for (const char* path : {"mpi/hosts", "horovod/hosts"}) {
    const std::string list = reading.settings.text(path);
    if (list.empty() || reading.settings.has("host_list")) continue;
    Reading inside = reading;
    const Origin origin = *reading.settings.origin_of(path);
    inside.place = origin;
    read_host_list(list, origin.how, inside);
  }
}

// Every flag of torchrun has a variable that stands for it.
void read_torchrun_variables(Settings& settings) {
  if (!settings.has("torchrun")) return;
  for (const char* flag : {"nnodes", "nproc_per_node", "node_rank", "rdzv_backend", "rdzv_endpoint",
                           "rdzv_id", "master_addr", "master_port", "standalone", "local_addr"}) {
    std::string variable = std::string("PET_") + flag;
    std::ranges::transform(variable, variable.begin(),
                           [](unsigned char letter) { return std::toupper(letter); });
    const std::string path = "env/" + variable;
    if (settings.has(path))
      settings.set_default(std::string("torchrun/") + flag, settings.text(path), *settings.origin_of(path));
  }
}

void split_endpoint(Settings& settings) {
  if (!settings.has("torchrun/rdzv_endpoint")) return;
  const Origin origin = *settings.origin_of("torchrun/rdzv_endpoint");
  const Endpoint endpoint = endpoint_of(settings.text("torchrun/rdzv_endpoint"));
  settings.set("torchrun/rdzv_host", endpoint.host, origin);
  if (!endpoint.port.empty()) settings.set("torchrun/rdzv_port", endpoint.port, origin);
}

void derive_torchrun(Settings& settings) {
  if (!settings.has("torchrun")) return;
  const Origin by_default{"", std::nullopt, "default of torchrun"};
  split_endpoint(settings);
  settings.set_default("torchrun/rdzv_backend", "static", by_default);
  const std::string nodes = settings.text("torchrun/nnodes");
  const std::size_t colon = nodes.find(':');
  if (settings.has("torchrun/nnodes")) {
    const Origin origin = *settings.origin_of("torchrun/nnodes");
    const auto fewest = whole_number(nodes.substr(0, colon));
    const auto most = colon == std::string::npos ? fewest : whole_number(nodes.substr(colon + 1));
    if (fewest) settings.set("torchrun/min_nodes", *fewest, origin);
    if (most) settings.set("torchrun/max_nodes", *most, origin);
    if (most) settings.set("job/nnodes", *most, origin);
  } else if (!settings.has("raw/torchrun/nnodes")) {
    settings.set("job/nnodes", 1, by_default);
  }
  if (settings.has("torchrun/standalone")) return;
  const bool is_static = settings.text("torchrun/rdzv_backend") == "static";
  take_first(settings, "job/master_addr",
             {is_static ? "torchrun/master_addr" : "torchrun/rdzv_host", "torchrun/rdzv_host"});
  take_first(settings, "job/master_port",
             {is_static ? "torchrun/master_port" : "torchrun/rdzv_port", "torchrun/rdzv_port"});
  const bool is_known_later =
      settings.has("raw/torchrun/master_addr") || settings.has("raw/torchrun/rdzv_endpoint");
  if (is_static && !is_known_later) settings.set_default("job/master_addr", "127.0.0.1", by_default);
  if (settings.has("raw/torchrun/master_port") || settings.has("raw/torchrun/rdzv_endpoint")) return;
  settings.set_default("job/master_port", is_static ? "29500" : "29400", by_default);
}

std::set<std::string> host_names(const Settings& settings) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < settings.count("host_list"); ++i)
    names.insert(settings.text(fmt::format("host_list/{}/name", i)));
  const Json* cluster = settings.find("tf/cluster");
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

void derive_slurm(Settings& settings) {
  for (const char* path : {"sbatch/gres", "srun/gres", "sbatch/gpus_per_node", "srun/gpus_per_node"}) {
    if (const auto count = count_of_gpus(settings.text(path)))
      settings.set_default("job/gpus_per_node", *count, *settings.origin_of(path));
  }
  take_first(settings, "job/tasks_per_node",
             {"srun/ntasks_per_node", "sbatch/ntasks_per_node", "env/SLURM_NTASKS_PER_NODE"});
}

void derive_sizes(Settings& settings) {
  const std::set<std::string> hosts = host_names(settings);
  if (!hosts.empty()) {
    const Origin* origin = settings.origin_of(settings.has("host_list") ? "host_list" : "tf/cluster");
    settings.set_default("job/nnodes", hosts.size(), *origin);
  }
  take_first(settings, "job/nnodes",
             {"accelerate/num_machines", "deepspeed/num_nodes", "srun/nodes", "sbatch/nodes",
              "env/SLURM_NNODES", "env/SLURM_JOB_NUM_NODES", "env/NNODES"});
  take_first(settings, "job/nproc_per_node",
             {"torchrun/nproc_per_node", "deepspeed/num_gpus", "mpi/npernode"});
  take_first(settings, "job/world_size",
             {"mpi/np", "horovod/np", "accelerate/num_processes", "env/WORLD_SIZE"});
  take_first(settings, "job/master_addr",
             {"accelerate/main_process_ip", "deepspeed/master_addr", "env/MASTER_ADDR"});
  take_first(settings, "job/master_port",
             {"accelerate/main_process_port", "deepspeed/master_port", "env/MASTER_PORT"});
  const auto nodes = settings.number("job/nnodes");
  const auto processes = settings.number("job/nproc_per_node");
  if (nodes && processes && *nodes > 0 && *processes > 0 && *nodes < 1000000 && *processes < 1000000)
    settings.set_default("job/world_size", *nodes * *processes, *settings.origin_of("job/nproc_per_node"));
  std::int64_t pods = 0;
  for (std::size_t i = 0; i < settings.count("k8s/pods"); ++i) {
    if (settings.text(fmt::format("k8s/pods/{}/role", i)) == "Launcher") continue;
    pods += std::clamp<std::int64_t>(settings.number(fmt::format("k8s/pods/{}/replicas", i)).value_or(1), 0,
                                     1000000);
  }
  if (pods > 0) settings.set("job/nnodes", pods, *settings.origin_of("k8s/pods"));
}

}  // namespace

void derive_job(const Reading& reading) {
  Settings& settings = reading.settings;
  if (const std::string config = settings.text("env/TF_CONFIG"); !config.empty() && !settings.has("tf")) {
    Reading inside = reading;
    inside.place = *settings.origin_of("env/TF_CONFIG");
    read_tf_config(config, inside);
  }
  read_named_files(reading);
  read_host_flags(reading);
  read_torchrun_variables(settings);
  derive_torchrun(settings);
  derive_slurm(settings);
  derive_sizes(settings);
  derive_policies(settings);
  const auto nodes = settings.number("job/nnodes");
  if (nodes) settings.set("job/is_multi_host", *nodes > 1, *settings.origin_of("job/nnodes"));
}

}  // namespace lockstep::config
