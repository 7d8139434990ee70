// Which rank sits where: ranks fill the nodes in their order, and nodes differ by one rank at most.
#pragma once

#include <algorithm>

namespace lockstep::service {

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

}  // namespace lockstep::service
