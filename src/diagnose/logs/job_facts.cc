#include "diagnose/logs/job_facts.h"

#include <array>
#include <string_view>

#include "base/text_fields.h"

namespace lockstep::logs {
namespace {

// The first that the log shows. Horovod runs on top of the others, Keras on top of TensorFlow.
template <std::size_t size>
std::string first_known(const Context& context, const std::array<std::string_view, size>& names) {
  for (const std::string_view name : names) {
    if (context.knows(name)) return std::string(name);
  }
  return {};
}

std::string backend_of(const Context& context) {
  constexpr std::array<std::string_view, 3> kBackends = {"nccl", "gloo", "mpi"};
  const std::string backend = first_known(context, kBackends);
  return backend.empty() && context.knows("grpc_cluster") ? "grpc" : backend;
}

std::optional<int> world_of(const Context& context) {
  constexpr int kLargestJob = 1'000'000;
  const auto number = [&](const char* name) -> std::optional<int> {
    const auto found = context.captures().find(name);
    if (found == context.captures().end()) return std::nullopt;
    const auto value = base::number_in<int>(found->second);
    return value && *value >= 1 && *value <= kLargestJob ? value : std::nullopt;
  };
  if (const auto world = number("world")) return world;
  const auto per_node = number("per_node");
  const auto nodes = number("nodes");
  if (!per_node || !nodes || *per_node > kLargestJob / *nodes) return std::nullopt;
  return *per_node * *nodes;
}

}  // namespace

model::JobSummary job_facts(const Context& context, const LineSources& sources) {
  constexpr std::array<std::string_view, 6> kFrameworks = {"horovod",    "pytorch", "jax",
                                                           "tensorflow", "keras",   "mpi"};
  model::JobSummary job;
  job.framework = first_known(context, kFrameworks);
  job.backend = backend_of(context);
  job.world_size = world_of(context);
  if (!sources.hosts().empty()) job.hosts = static_cast<int>(sources.hosts().size());
  job.ranks_seen.assign(sources.ranks().begin(), sources.ranks().end());
  return job;
}

}  // namespace lockstep::logs
