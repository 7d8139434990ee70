// How the workers of a job fit on the nodes of a cluster.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/engine/cluster.h"

namespace lockstep::service {

// What each worker gets, with the reasons. `whose`: the nodes in question, which have GPUs or not.
void choose_resources_of_workers(Job& job, std::string_view whose, bool have_gpus);

// How many workers a node with so much has room for.
int room_in(const Resources& node, const Resources& each);

// How many nodes, with room for so many workers on each, can take all workers evenly; 0: none can. `asked`:
// exactly so many; 0: as few as can be.
int nodes_for(int workers, const std::vector<int>& rooms, int asked);

// An elastic job takes what it can get, on fewer nodes than asked for if need be.
std::optional<Cluster::Share> largest_share(const JobSpec& spec, const std::vector<int>& rooms);

// Which rank sits where: ranks fill the nodes in their order, and nodes differ by one rank at most.

struct Seat {
  int node = 0;
  int local_rank = 0;
  int local_size = 1;
};

inline int ranks_on(int node, int workers, int nodes) {
  return workers / nodes + (node < workers % nodes ? 1 : 0);
}

inline int first_rank_on(int node, int workers, int nodes) {
  return node * (workers / nodes) + std::min(node, workers % nodes);
}

inline Seat seat_of(int rank, int workers, int nodes) {
  int node = 0;
  while (node + 1 < nodes && first_rank_on(node + 1, workers, nodes) <= rank) ++node;
  return {node, rank - first_rank_on(node, workers, nodes), ranks_on(node, workers, nodes)};
}

// Which nodes of a cluster were away and are back.

class NodeReturns {
 public:
  void see(const std::string& node, bool can_work, std::int64_t now_ms);

  // Of these nodes, those that were seen to come back later than that.
  std::vector<std::string> since(std::int64_t ms, const std::vector<std::string>& nodes) const;

 private:
  struct Seen {
    bool can_work = true;
    std::int64_t back_ms = 0;  // 0: it was never away
  };
  std::map<std::string, Seen> seen_;
};

}  // namespace lockstep::service
