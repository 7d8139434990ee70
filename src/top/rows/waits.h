// Who waits for whom, as a tree: below each rank that keeps others waiting stand those that wait for it,
// below them those that wait for them.
#pragma once

#include <unordered_map>
#include <vector>

#include "run/watch/snapshot.h"

namespace lockstep::top {

// Views the snapshot it was made of.
struct WaitNode {
  int depth = 0;                          // 0: waits for nobody, or is where a circle was entered
  std::vector<int> ranks;                 // ascending: ranks in equal state
  const watch::RankView* view = nullptr;  // of the first of them; none: nothing was recorded of it
  bool is_circle = false;                 // waits, in the end, for itself
};

// Long waits only (rows/standing.h). Every rank that waits or is waited for stands in one node.
std::vector<WaitNode> wait_tree(const watch::Snapshot& snapshot);

// Of each rank that others have long waited for, who has waited longest.
std::unordered_map<int, const watch::RankView*> longest_waiters(const watch::Snapshot& snapshot);

}  // namespace lockstep::top
