// What Kubernetes says of the pods of an attempt and of its own nodes. What is not known is passed over,
// never a reason to give up.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "service/engine/attempt_folder.h"

namespace lockstep::service {

struct PodState {
  int rank = -1;
  std::string name;
  std::string phase;    // "Pending", "Running", "Succeeded", "Failed"
  std::string node;     // empty: not chosen yet
  std::string reason;   // of the pod: "Evicted", "Preempting"; of its container: "OOMKilled", "ErrImagePull"
  std::string message;  // why it waits or ended
  std::optional<int> exit_status;
  bool is_node_silent = false;  // its node does not answer Kubernetes
  bool is_going = false;        // somebody had it deleted

  bool is_over() const { return phase == "Succeeded" || phase == "Failed"; }
};

// Of a PodList; ordered by rank.
std::vector<PodState> pods_in(const base::Json& list);

// A container that will not start however long one waits.
bool can_never_start(const PodState& pod);

struct KubeNode {
  std::string name;
  std::int64_t millicpus = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t gpus = 0;
  bool can_work = false;  // ready, and open to pods
};

// Of a NodeList: what each has to give. Nodes with taints that the pods do not bear are none of ours.
std::vector<KubeNode> kube_nodes_in(const base::Json& list, const base::Json& pod);

// "2", "500m", "8Gi", "1e9": in thousandths. None for what is no quantity.
std::optional<std::int64_t> thousandths_in(std::string_view quantity);

// Ranks that were killed at the memory limit of their pods: Kubernetes knows why, their own last words say no
// more than that they were killed, if there are any. Adds it to their final records.
void note_memory_ends(const AttemptFolder& folder, const std::vector<PodState>& pods);

// All pods of an attempt or none: where some have places and others find none for long, all are given back
// for a while. Else two jobs that each hold what the other lacks would wait for ever.

class GangPlacing {
 public:
  using Clock = std::chrono::steady_clock;

  // `patience`: how long some may hold places while others have none; 0: for ever. `seed`: jobs that came
  // together do not come back together.
  GangPlacing(std::chrono::seconds patience, std::uint32_t seed) : patience_(patience), seed_(seed) {}

  enum class Step : std::uint8_t { kGoOn, kGiveBack, kStayAway, kMakeAgain };
  Step next(const std::vector<PodState>& pods, Clock::time_point now);

 private:
  std::chrono::milliseconds time_away();

  std::chrono::seconds patience_;
  std::uint32_t seed_;
  std::optional<Clock::time_point> partly_placed_since_;
  std::optional<Clock::time_point> away_until_;
};

// Ranks whose pods have no node yet.
std::vector<int> ranks_without_place(const std::vector<PodState>& pods);

}  // namespace lockstep::service
