// What each rank is to the job at this instant, and who waits for whom.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "run/watch/snapshot.h"

namespace lockstep::top {

// What a rank is to the job at this instant: the guilty apart from those who only suffer, and both apart from
// ranks that are at ordinary work. Short waits belong to ordinary work: in a healthy job somebody is always
// the last to come. In the order in which a person wants to see them.
enum class Standing : std::uint8_t {
  kGuilty,  // a finding names it as the one that began it
  kDead,    // gone without a word, or ended with a failure
  kStopped,
  kLate,       // others have waited long for it
  kStraggler,  // others usually wait for it
  kWaiting,    // has waited long
  kRunning,
  kStarting,
  kEnded
};

inline constexpr std::int64_t kLongWaitNs = 1'000'000'000;

// In a call to which somebody has not come for long.
bool has_waited_long(const watch::RankView& view);

// One for each of snapshot.ranks.
std::vector<Standing> standings_of(const watch::Snapshot& snapshot);

// Views the snapshot it was made of.
struct WaitNode {
  int depth = 0;                          // 0: waits for nobody, or is where a circle was entered
  std::vector<int> ranks;                 // ascending: ranks in equal state
  const watch::RankView* view = nullptr;  // of the first of them; none: nothing was recorded of it
  bool is_circle = false;                 // waits, in the end, for itself
};

// Who waits for whom, as a tree: below each rank that keeps others waiting stand those that wait for it,
// below them those that wait for them. Long waits only. Every rank that waits or is waited for stands in one
// node.
std::vector<WaitNode> wait_tree(const watch::Snapshot& snapshot);

// Of each rank that others have long waited for, who has waited longest.
std::unordered_map<int, const watch::RankView*> longest_waiters(const watch::Snapshot& snapshot);

}  // namespace lockstep::top
