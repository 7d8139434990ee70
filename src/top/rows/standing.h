// What a rank is to the job at this instant: the guilty apart from those who only suffer, and both apart from
// ranks that are at ordinary work. Short waits belong to ordinary work: in a healthy job somebody is always
// the last to come.
#pragma once

#include <cstdint>
#include <vector>

#include "run/watch/snapshot.h"

namespace lockstep::top {

// In the order in which a person wants to see them.
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

}  // namespace lockstep::top
