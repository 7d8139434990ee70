#include "config/slurm.h"

#include <algorithm>

#include "base/text_fields.h"
#include "config/fields.h"

namespace lockstep::config {
namespace {

using Number = std::optional<Value<std::int64_t>>;

Number first_of(const LaunchConfig& launch, std::initializer_list<Field<std::int64_t>> fields) {
  for (const Field<std::int64_t>& field : fields) {
    if (launch.has(field) || launch.has(Fields::at_run_time(field))) return launch.get(field);
  }
  return std::nullopt;
}

Number nodes_of(const LaunchConfig& launch, bool of_step) {
  if (of_step && launch.has(Fields::kSrunNodes)) return launch.get(Fields::kSrunNodes);
  if (launch.has(Fields::kSbatchNodes) || launch.has(Fields::at_run_time(Fields::kSbatchNodes)))
    return launch.get(Fields::kSbatchNodes);
  const auto tasks = launch.get(Fields::kSbatchTasks);
  const auto per_node = launch.get(Fields::kSbatchTasksPerNode);
  if (tasks && per_node && per_node->value > 0 && tasks->value % per_node->value == 0)
    return Value<std::int64_t>{tasks->value / per_node->value, tasks->origin};
  return std::nullopt;
}

Number tasks_of(const LaunchConfig& launch) {
  if (const auto tasks = first_of(launch, {Fields::kSrunTasks, Fields::kSbatchTasks})) return tasks;
  const auto nodes = nodes_of(launch, true);
  const auto per_node = first_of(launch, {Fields::kSrunTasksPerNode, Fields::kSbatchTasksPerNode});
  if (!nodes || !per_node || nodes->value > 1'000'000 || per_node->value > 1'000'000) return std::nullopt;
  return Value<std::int64_t>{nodes->value * per_node->value, per_node->origin};
}

Number gpus_on_node(const LaunchConfig& launch) {
  for (const Field<std::string>& field : {Fields::kSbatchGpusPerNode, Fields::kSbatchResources}) {
    const auto request = launch.get(field);
    if (!request) continue;
    if (const auto count = count_of_gpus(request->value)) return Value<std::int64_t>{*count, request->origin};
  }
  const auto nodes = nodes_of(launch, false);
  const auto all = launch.get(Fields::kSbatchGpus);
  if (!all || !nodes || nodes->value != 1) return std::nullopt;
  const auto count = count_of_gpus(all->value);
  return count ? Number({*count, all->origin}) : std::nullopt;
}

std::optional<Value<std::string>> as_text(const Number& number) {
  if (!number) return std::nullopt;
  return Value<std::string>{std::to_string(number->value), number->origin};
}

}  // namespace

std::optional<std::int64_t> count_of_gpus(std::string_view request) {
  const bool names_kinds = request.find("gpu") != std::string_view::npos;
  while (!request.empty()) {
    std::string_view item = base::trimmed(base::word_of(request, ','));
    request.remove_prefix(std::min(base::word_of(request, ',').size() + 1, request.size()));
    if (names_kinds && !item.starts_with("gpu")) continue;
    item = item.substr(0, item.find('('));
    const std::size_t colon = item.rfind(':');
    return whole_number(item.substr(colon == std::string_view::npos ? 0 : colon + 1));
  }
  return std::nullopt;
}

std::optional<Value<std::string>> slurm_value(const LaunchConfig& launch, std::string_view variable) {
  if (variable == "SLURM_NNODES") return as_text(nodes_of(launch, true));
  if (variable == "SLURM_JOB_NUM_NODES") return as_text(nodes_of(launch, false));
  if (variable == "SLURM_NTASKS" || variable == "SLURM_NPROCS") return as_text(tasks_of(launch));
  if (variable == "SLURM_NTASKS_PER_NODE")
    return as_text(first_of(launch, {Fields::kSrunTasksPerNode, Fields::kSbatchTasksPerNode}));
  if (variable == "SLURM_CPUS_PER_TASK") return as_text(launch.get(Fields::kSbatchCpusPerTask));
  if (variable == "SLURM_GPUS_ON_NODE") return as_text(gpus_on_node(launch));
  if (variable == "SLURM_GPUS_PER_NODE") return launch.get(Fields::kSbatchGpusPerNode);
  if (variable == "SLURM_GPUS") return launch.get(Fields::kSbatchGpus);
  return std::nullopt;
}

bool is_set_by_launchers(std::string_view variable) {
  constexpr std::string_view kPrefixes[] = {"SLURM_", "PMI_",  "PMIX_", "OMPI_",
                                            "FLUX_",  "PALS_", "LSB_",  "PBS_"};
  constexpr std::string_view kNames[] = {"RANK",       "LOCAL_RANK", "WORLD_SIZE",  "LOCAL_WORLD_SIZE",
                                         "GROUP_RANK", "NODE_RANK",  "MASTER_ADDR", "MASTER_PORT"};
  return std::ranges::any_of(kPrefixes,
                             [&](std::string_view start) { return variable.starts_with(start); }) ||
         std::ranges::find(kNames, variable) != std::end(kNames);
}

}  // namespace lockstep::config
