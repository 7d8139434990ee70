#include "isolate/variables.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "isolate/split_for_one.h"

namespace lockstep::isolate {
namespace {

using base::Json;

struct TorchVariable {
  std::string_view name;
  std::string_view alone;
  bool is_required;  // by init_method="env://"
};

constexpr TorchVariable kTorchVariables[] = {
    {"RANK", "0", true},
    {"WORLD_SIZE", "1", true},
    {"LOCAL_RANK", "0", false},
    {"LOCAL_WORLD_SIZE", "1", false},
    {"NODE_RANK", "0", false},
    {"GROUP_RANK", "0", false},
    {"GROUP_WORLD_SIZE", "1", false},
    {"ROLE_RANK", "0", false},
    {"ROLE_WORLD_SIZE", "1", false},
    {"NNODES", "1", false},
    {"NPROC_PER_NODE", "1", false},
};

constexpr std::string_view kLauncherPrefixes[] = {"OMPI_COMM_WORLD_", "PMI_", "PMIX_", "TORCHELASTIC_",
                                                  "MV2_COMM_WORLD_"};

constexpr std::string_view kLauncherNames[] = {
    "SLURM_NTASKS",         "SLURM_NPROCS",
    "SLURM_PROCID",         "SLURM_LOCALID",
    "SLURM_NODEID",         "SLURM_NNODES",
    "SLURM_JOB_NUM_NODES",  "SLURM_NTASKS_PER_NODE",
    "SLURM_TASKS_PER_NODE", "SLURM_STEP_NUM_TASKS",
    "SLURM_STEP_NUM_NODES", "SLURM_STEP_TASKS_PER_NODE",
    "HOROVOD_RANK",         "HOROVOD_SIZE",
    "HOROVOD_LOCAL_RANK",   "HOROVOD_LOCAL_SIZE",
    "HOROVOD_CROSS_RANK",   "HOROVOD_CROSS_SIZE",
    "HOROVOD_CONTROLLER",   "HOROVOD_GLOO_RENDEZVOUS_ADDR",
    "HOROVOD_HOSTNAME",     "HOROVOD_GLOO_RENDEZVOUS_PORT",
    "HOROVOD_ELASTIC",      "HOROVOD_CPU_OPERATIONS",
    "MPI_LOCALNRANKS",      "MPI_LOCALRANKID",
};

bool is_launcher_variable(std::string_view name) {
  const auto begins_name = [&](std::string_view prefix) { return name.starts_with(prefix); };
  return std::ranges::any_of(kLauncherPrefixes, begins_name) ||
         std::ranges::find(kLauncherNames, name) != std::end(kLauncherNames);
}

Error wrong_cluster(std::string_view why) {
  Error error = cannot_reduce("TF_CONFIG", why);
  error.hint.clear();  // no other command would do
  return error;
}

}  // namespace

std::vector<Change> that_matter(std::vector<Change> changes, const Environment& environment) {
  std::erase_if(changes, [&](const Change& change) {
    const auto now = environment.find(change.name);
    if (now == environment.end()) return !change.value.has_value();
    return change.value == now->second;
  });
  return changes;
}

std::vector<Change> torch_variables_for_one(const Environment& environment, int free_port) {
  const bool is_one_of_several = environment.contains("RANK") || environment.contains("WORLD_SIZE") ||
                                 environment.contains("MASTER_ADDR");
  if (!is_one_of_several) return {};
  std::vector<Change> changes;
  for (const TorchVariable& variable : kTorchVariables) {
    const bool is_set = environment.contains(variable.name);
    if (is_set || variable.is_required)
      changes.push_back({std::string(variable.name), std::string(variable.alone)});
  }
  changes.push_back({"MASTER_ADDR", kLoopback});
  changes.push_back({"MASTER_PORT", std::to_string(free_port)});
  return changes;
}

std::vector<Change> without_launcher_variables(const Environment& environment) {
  std::vector<Change> changes;
  for (const auto& [name, value] : environment) {
    if (is_launcher_variable(name)) changes.push_back({name, std::nullopt});
  }
  return changes;
}

std::vector<Change> one_visible_device(const Environment& environment) {
  std::vector<Change> changes;
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"}) {
    const auto now = environment.find(name);
    const bool is_set = now != environment.end();
    if (is_set) changes.push_back({name, now->second.substr(0, now->second.find(','))});
    if (!is_set && name == std::string_view("CUDA_VISIBLE_DEVICES")) changes.push_back({name, "0"});
  }
  return changes;
}

Result<std::vector<Change>> tf_config_for_one(const Environment& environment, int free_port) {
  const auto set = environment.find("TF_CONFIG");
  if (set == environment.end() || set->second.empty()) return std::vector<Change>{};
  const auto parsed = base::parse_json(set->second, "TF_CONFIG");
  if (!parsed.ok()) return wrong_cluster("it is not JSON: " + parsed.error().why);
  Json config = parsed.value();
  if (!config.is_object()) return wrong_cluster("it is not a JSON object");
  const auto cluster = config.find("cluster");
  if (cluster == config.end() || cluster->empty()) return std::vector<Change>{};
  if (!cluster->is_object()) return wrong_cluster("its cluster is not a JSON object");
  if (cluster->contains("ps")) {
    return wrong_cluster(
        "the job has parameter servers: its variables live in other processes than its steps, so no single "
        "process is the job");
  }
  Json alone = Json::object();
  alone["worker"] = Json::array({fmt::format("{}:{}", kLoopback, free_port)});
  config["cluster"] = std::move(alone);
  config["task"] = {{"type", "worker"}, {"index", 0}};
  return std::vector<Change>{{"TF_CONFIG", base::to_text(config, base::JsonLayout::kOneLine)}};
}

}  // namespace lockstep::isolate
