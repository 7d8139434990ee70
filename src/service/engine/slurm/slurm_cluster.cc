#include "service/engine/slurm/slurm_cluster.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace lockstep::service {
namespace {

constexpr std::chrono::seconds kKnownFor{5};

struct Partition {
  std::string name;
  std::vector<SlurmNode> nodes;
};

std::optional<Partition> partition_named(const std::vector<SlurmNode>& all, const std::string& wanted) {
  Partition found;
  for (const SlurmNode& node : all) {
    if (wanted.empty() ? !node.is_default : node.partition != wanted) continue;
    found.name = node.partition;
    found.nodes.push_back(node);
  }
  return found.nodes.empty() ? std::nullopt : std::optional(std::move(found));
}

int room_on(const SlurmNode& node, const Resources& each) {
  const auto most = [](std::int64_t all, std::int64_t one) { return one > 0 ? all / one : INT64_MAX; };
  return static_cast<int>(
      std::min({most(std::int64_t{1000} * node.cpus, each.millicpus),
                most(node.memory_bytes, each.memory_bytes), most(node.gpus, each.gpus), std::int64_t{4096}}));
}

std::vector<int> rooms_of(const std::vector<SlurmNode>& nodes, const Resources& each) {
  std::vector<int> rooms;
  for (const SlurmNode& node : nodes) rooms.push_back(room_on(node, each));
  return rooms;
}

// An elastic job takes what it can get, on fewer nodes than asked for if need be.
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

void choose_share(Job& job, const Partition& partition) {
  const JobSpec& spec = job.spec;
  const int cpus = spec.cpus_per_worker.value_or(1);
  job.per_worker = {.millicpus = std::int64_t{1000} * cpus,
                    .memory_bytes = spec.memory_per_worker,
                    .gpus = spec.gpus_per_worker.value_or(0)};
  job.choose("cpus_per_worker", std::to_string(cpus),
             spec.cpus_per_worker ? "as asked" : "one core for each rank");
  const bool have_gpus =
      std::ranges::any_of(partition.nodes, [](const SlurmNode& node) { return node.gpus > 0; });
  if (!spec.gpus_per_worker && have_gpus) job.per_worker.gpus = 1;
  job.choose("gpus_per_worker", std::to_string(job.per_worker.gpus),
             spec.gpus_per_worker
                 ? "as asked"
                 : (have_gpus ? "the partition's nodes have some" : "the partition's nodes have none"));
  job.choose("memory_per_worker",
             spec.memory_per_worker > 0 ? std::to_string(spec.memory_per_worker) : "unlimited",
             spec.memory_per_worker > 0 ? "as asked" : "no limit was asked for");
}

std::vector<FieldFault> faults_of_share(const Job& job, const Partition& partition) {
  const JobSpec& spec = job.spec;
  const std::vector<int> rooms = rooms_of(partition.nodes, job.per_worker);
  if (largest_share(spec, rooms)) return {};
  const int nodes = static_cast<int>(rooms.size());
  if (spec.nodes > nodes) {
    return {{"/nodes",
             fmt::format("{} nodes are asked for; partition {} has {}", spec.nodes, partition.name, nodes)}};
  }
  if (std::ranges::all_of(rooms, [](int room) { return room == 0; })) {
    return {{job.per_worker.gpus > 0 ? "/gpus_per_worker" : "/cpus_per_worker",
             fmt::format("no node of partition {} has {} cores, {} GPUs and {} bytes for one worker",
                         partition.name, job.per_worker.millicpus / 1000, job.per_worker.gpus,
                         job.per_worker.memory_bytes)}};
  }
  std::int64_t all = 0;
  for (const int room : rooms) all += room;
  return {{"/workers",
           fmt::format("{} workers with {} cores and {} GPUs each do not fit; partition {} has {} nodes "
                       "with room for {}",
                       spec.workers_min, job.per_worker.millicpus / 1000, job.per_worker.gpus, partition.name,
                       nodes, all)}};
}

std::vector<FieldFault> faults_of_time(const Job& job, const Partition& partition) {
  const std::optional<int> most = partition.nodes.front().time_limit_s;
  if (!most || job.spec.time_limit_s <= *most) return {};
  return {{"/time_limit_s", fmt::format("{} s are asked for; partition {} gives {} s", job.spec.time_limit_s,
                                        partition.name, *most)}};
}

}  // namespace

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

Result<void> SlurmCluster::look() {
  const auto now = std::chrono::steady_clock::now();
  if (now < known_until_) return {};
  nodes_ = TRY(tools_.nodes());
  known_until_ = now + kKnownFor;
  return {};
}

std::vector<FieldFault> SlurmCluster::choose(Job& job) {
  if (const auto looked = look(); !looked.ok())
    return {{"/engine", fmt::format("Slurm cannot be asked: {}", looked.error().why)}};
  const auto partition = partition_named(nodes_, job.spec.partition);
  if (!partition) {
    return {{"/partition", job.spec.partition.empty() ? "Slurm has no default partition: name one"
                                                      : "Slurm has no such partition"}};
  }
  job.partition = partition->name;
  job.choose("partition", partition->name, job.spec.partition.empty() ? "Slurm's default" : "as asked");
  choose_share(job, *partition);
  std::vector<FieldFault> faults = faults_of_share(job, *partition);
  if (faults.empty()) faults = faults_of_time(job, *partition);
  if (!faults.empty()) return faults;
  const int nodes = largest_share(job.spec, rooms_of(partition->nodes, job.per_worker))->nodes;
  job.choose("nodes", std::to_string(nodes), job.spec.nodes > 0 ? "as asked" : "the fewest that have room");
  job.choose("rendezvous", "an address and ports of each node, told when all are there",
             "the nodes are Slurm's choice");
  return {};
}

Cluster::Share SlurmCluster::share_for(const Job& job) {
  Share share{.workers = job.spec.workers_max, .nodes = std::max(job.spec.nodes, 1)};
  if (!look().ok()) return share;
  const auto partition = partition_named(nodes_, job.partition);
  if (!partition) return share;
  const auto usable = [&](bool must_work) {
    std::vector<int> rooms;
    for (const SlurmNode& node : partition->nodes) {
      const bool is_excluded =
          std::ranges::find(job.repairs.excluded_nodes, node.name) != job.repairs.excluded_nodes.end();
      if (!is_excluded && (!must_work || node.can_work())) rooms.push_back(room_on(node, job.per_worker));
    }
    return rooms;
  };
  for (const bool must_work : {true, false}) {
    if (const auto found = largest_share(job.spec, usable(must_work))) return *found;
  }
  return largest_share(job.spec, rooms_of(partition->nodes, job.per_worker)).value_or(share);
}

}  // namespace lockstep::service
