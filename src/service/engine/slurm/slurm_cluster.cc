#include "service/engine/slurm/slurm_cluster.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "service/engine/nodes/shares.h"
#include "service/job/job.h"

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
  return room_in(
      {.millicpus = std::int64_t{1000} * node.cpus, .memory_bytes = node.memory_bytes, .gpus = node.gpus},
      each);
}

std::vector<int> rooms_of(const std::vector<SlurmNode>& nodes, const Resources& each) {
  std::vector<int> rooms;
  for (const SlurmNode& node : nodes) rooms.push_back(room_on(node, each));
  return rooms;
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

std::vector<FieldFault> faults_of_account(const Job& job, const SlurmTools& tools) {
  if (job.spec.account.empty()) return {};
  const auto refusal = tools.refusal_of_account(job.spec.account, job.partition);
  if (!refusal) return {};
  return {{"/account", fmt::format("Slurm takes no job of account {} in partition {}: {}", job.spec.account,
                                   job.partition, *refusal)}};
}

}  // namespace

Result<void> SlurmCluster::look() {
  const auto now = std::chrono::steady_clock::now();
  if (now < known_until_) return {};
  nodes_ = TRY(tools_.nodes());
  for (const SlurmNode& node : nodes_) returns_.see(node.name, node.can_work(), now_in_ms());
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
  const bool have_gpus =
      std::ranges::any_of(partition->nodes, [](const SlurmNode& node) { return node.gpus > 0; });
  choose_resources_of_workers(job, "the partition's nodes", have_gpus);
  std::vector<FieldFault> faults = faults_of_share(job, *partition);
  if (faults.empty()) faults = faults_of_time(job, *partition);
  if (faults.empty()) faults = faults_of_account(job, tools_);
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

Cluster::Room SlurmCluster::room_for(const Job& job, const Attempt& attempt,
                                     const std::vector<std::string>& own_nodes) {
  const auto partition = look().ok() ? partition_named(nodes_, job.partition) : std::optional<Partition>();
  if (!partition) return {};
  Room room{.returned = returns_.since(attempt.started_ms, job.repairs.excluded_nodes)};
  const auto is_in = [](const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  std::vector<int> rooms;
  for (const SlurmNode& node : partition->nodes) {
    const bool is_left_out = is_in(job.repairs.excluded_nodes, node.name) && !is_in(room.returned, node.name);
    const bool is_free = is_in(own_nodes, node.name) || node.state == "idle";
    if (!is_left_out && is_free && node.can_work()) rooms.push_back(room_on(node, job.per_worker));
  }
  if (const auto share = largest_share(job.spec, rooms)) room.workers = share->workers;
  return room;
}

}  // namespace lockstep::service
