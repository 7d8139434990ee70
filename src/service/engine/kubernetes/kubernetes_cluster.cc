#include "service/engine/kubernetes/kubernetes_cluster.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "service/engine/kubernetes/attempt_objects.h"
#include "service/engine/nodes/shares.h"
#include "service/job/job.h"

namespace lockstep::service {
namespace {

constexpr std::chrono::seconds kNodesKnownFor{5};
constexpr int kForbidden = 403;

int pods_on(const KubeNode& node, const Resources& each) {
  return room_in({.millicpus = node.millicpus, .memory_bytes = node.memory_bytes, .gpus = node.gpus}, each);
}

std::vector<int> pods_on_each(const std::vector<KubeNode>& nodes, const Resources& each) {
  std::vector<int> rooms(nodes.size());
  std::ranges::transform(nodes, rooms.begin(), [&](const KubeNode& node) { return pods_on(node, each); });
  return rooms;
}

// Pods go wherever there is room, unless a number of nodes was asked for.
int most_workers(const JobSpec& spec, const std::vector<int>& rooms) {
  if (spec.nodes > 0) {
    const auto share = largest_share(spec, rooms);
    return share ? share->workers : 0;
  }
  return std::min(spec.workers_max, std::accumulate(rooms.begin(), rooms.end(), 0));
}

std::vector<FieldFault> faults_of_pods(const Job& job, const std::vector<KubeNode>& nodes) {
  const JobSpec& spec = job.spec;
  const std::vector<int> rooms = pods_on_each(nodes, job.per_worker);
  if (most_workers(spec, rooms) >= spec.workers_min) return {};
  const std::string each = fmt::format("{} cores, {} GPUs and {} bytes", job.per_worker.millicpus / 1000,
                                       job.per_worker.gpus, job.per_worker.memory_bytes);
  if (spec.nodes > static_cast<int>(rooms.size()))
    return {{"/nodes", fmt::format("{} nodes are asked for; Kubernetes has {}", spec.nodes, rooms.size())}};
  if (std::ranges::all_of(rooms, [](int room) { return room == 0; }))
    return {{job.per_worker.gpus > 0 ? "/gpus_per_worker" : "/cpus_per_worker",
             fmt::format("no node of Kubernetes has {} for one worker", each)}};
  return {
      {"/workers",
       fmt::format("{} workers with {} each do not fit; Kubernetes has {} nodes with room for {}",
                   spec.workers_min, each, nodes.size(), std::accumulate(rooms.begin(), rooms.end(), 0))}};
}

}  // namespace

Result<KubernetesCluster::Sight> KubernetesCluster::look() {
  const auto now = std::chrono::steady_clock::now();
  if (now < known_until_) return sight_;
  const WholeAnswer answer = TRY(api_.send("GET", "/api/v1/nodes"));
  if (!answer.is_good() && answer.status != kForbidden)
    return Error{"Kubernetes refused", "nodes", reason_in(answer), ""};
  sight_ = answer.is_good() ? Sight::kClear : Sight::kForbidden;
  if (answer.is_good()) nodes_ = kube_nodes_in(TRY(base::parse_json(answer.body, "nodes")), settings_.pod);
  if (answer.is_good())
    for (const KubeNode& node : nodes_) returns_.see(node.name, node.can_work, now_in_ms());
  known_until_ = now + kNodesKnownFor;
  return sight_;
}

std::vector<FieldFault> KubernetesCluster::choose(Job& job) {
  if (!job.spec.partition.empty()) return {{"/partition", "Kubernetes has none; it belongs to engine slurm"}};
  const auto looked = look();
  if (!looked.ok()) return {{"/engine", fmt::format("Kubernetes cannot be asked: {}", looked.error().why)}};
  const bool have_gpus = std::ranges::any_of(nodes_, [](const KubeNode& node) { return node.gpus > 0; });
  choose_resources_of_workers(job, "the cluster's nodes", have_gpus);
  if (looked.value() == Sight::kClear) {
    if (auto faults = faults_of_pods(job, nodes_); !faults.empty()) return faults;
  }
  job.choose("image", image_of(settings_.pod), "the service's own");
  job.choose("nodes", job.spec.nodes > 0 ? std::to_string(job.spec.nodes) : "where there is room",
             job.spec.nodes > 0 ? "as asked" : "a pod for each rank");
  job.choose("rendezvous", "an address and ports of each pod, told when all are there",
             "the nodes are Kubernetes' choice");
  return {};
}

Cluster::Share KubernetesCluster::share_for(const Job& job) {
  int workers = job.spec.workers_max;
  if (const auto looked = look(); looked.ok() && looked.value() == Sight::kClear) {
    std::vector<int> rooms;
    for (const KubeNode& node : nodes_) {
      const auto& excluded = job.repairs.excluded_nodes;
      const bool is_excluded = std::ranges::find(excluded, node.name) != excluded.end();
      if (node.can_work && !is_excluded) rooms.push_back(pods_on(node, job.per_worker));
    }
    workers = std::clamp(most_workers(job.spec, rooms), job.spec.workers_min, job.spec.workers_max);
  }
  return {.workers = workers, .nodes = workers};
}

Cluster::Room KubernetesCluster::room_for(const Job& job, const Attempt& attempt,
                                          const std::vector<std::string>& own_nodes) {
  const auto looked = look();
  if (!looked.ok() || looked.value() != Sight::kClear) return {};
  Room room{.returned = returns_.since(attempt.started_ms, job.repairs.excluded_nodes)};
  std::vector<int> rooms;
  for (const KubeNode& node : nodes_) {
    const bool is_counted =
        std::ranges::count(own_nodes, node.name) + std::ranges::count(room.returned, node.name) > 0;
    if (node.can_work && is_counted) rooms.push_back(pods_on(node, job.per_worker));
  }
  room.workers = most_workers(job.spec, rooms);
  return room;
}

}  // namespace lockstep::service
