#include "service/engine/nodes/shares.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace lockstep::service {

void choose_resources_of_workers(Job& job, std::string_view whose, bool have_gpus) {
  const JobSpec& spec = job.spec;
  const int cpus = spec.cpus_per_worker.value_or(1);
  job.per_worker = {.millicpus = std::int64_t{1000} * cpus,
                    .memory_bytes = spec.memory_per_worker,
                    .gpus = spec.gpus_per_worker.value_or(have_gpus ? 1 : 0)};
  job.choose("cpus_per_worker", std::to_string(cpus),
             spec.cpus_per_worker ? "as asked" : "one core for each rank");
  job.choose(
      "gpus_per_worker", std::to_string(job.per_worker.gpus),
      spec.gpus_per_worker ? "as asked" : fmt::format("{} have {}", whose, have_gpus ? "some" : "none"));
  job.choose("memory_per_worker",
             spec.memory_per_worker > 0 ? std::to_string(spec.memory_per_worker) : "unlimited",
             spec.memory_per_worker > 0 ? "as asked" : "no limit was asked for");
}

int room_in(const Resources& node, const Resources& each) {
  const auto most = [](std::int64_t all, std::int64_t one) { return one > 0 ? all / one : INT64_MAX; };
  return static_cast<int>(
      std::min({most(node.millicpus, each.millicpus), most(node.memory_bytes, each.memory_bytes),
                most(node.gpus, each.gpus), std::int64_t{4096}}));
}

int nodes_for(int workers, const std::vector<int>& rooms, int asked) {
  const int all = static_cast<int>(rooms.size());
  for (int nodes = asked > 0 ? asked : 1; nodes <= std::min(all, workers); ++nodes) {
    const int most_on_one = (workers + nodes - 1) / nodes;
    const auto fitting = std::ranges::count_if(rooms, [&](int room) { return room >= most_on_one; });
    if (fitting >= nodes) return nodes;
    if (asked > 0) return 0;
  }
  return 0;
}

std::optional<Cluster::Share> largest_share(const JobSpec& spec, const std::vector<int>& rooms) {
  for (int workers = spec.workers_max; workers >= spec.workers_min; --workers) {
    if (const int nodes = nodes_for(workers, rooms, spec.nodes); nodes > 0)
      return Cluster::Share{.workers = workers, .nodes = nodes};
    if (spec.workers_min == spec.workers_max) return std::nullopt;
    if (const int nodes = nodes_for(workers, rooms, 0); nodes > 0)
      return Cluster::Share{.workers = workers, .nodes = nodes};
  }
  return std::nullopt;
}

void NodeReturns::see(const std::string& node, bool can_work, std::int64_t now_ms) {
  Seen& seen = seen_[node];
  if (can_work && !seen.can_work) seen.back_ms = now_ms;
  seen.can_work = can_work;
}

std::vector<std::string> NodeReturns::since(std::int64_t ms, const std::vector<std::string>& nodes) const {
  std::vector<std::string> back;
  for (const std::string& node : nodes) {
    const auto found = seen_.find(node);
    if (found != seen_.end() && found->second.can_work && found->second.back_ms > ms) back.push_back(node);
  }
  return back;
}

}  // namespace lockstep::service
