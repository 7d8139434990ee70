// How far the clocks of the hosts are apart, from the collectives in which their ranks met.
//
// Nobody leaves a synchronising collective before the last has come, so in true time every end of a meeting
// lies behind every beginning. That bounds the difference of two clocks for certain; the ends themselves lie
// close together, so the middle of their differences is the best guess within the bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "diagnose/ranks/align.h"

namespace lockstep::ranks {

// The clock of a host, or of a single rank of which no host is known.
struct Clock {
  std::optional<int> host;  // index into Job::hosts
  int lowest_rank = 0;      // of those that use it
  // How far it is ahead of the reference clock; absent where no chain of collectives joins them.
  std::optional<std::int64_t> ahead_ns;
  std::int64_t uncertainty_ns = 0;  // to either side

  bool operator==(const Clock&) const = default;
};

struct Clocks {
  std::vector<Clock> clocks;                 // ascending by lowest_rank; the first is the reference
  std::vector<std::uint32_t> clock_of_rank;  // by index into Job::ranks

  // The time as the reference clock would have shown it; `rank` is an index into Job::ranks.
  std::optional<std::int64_t> to_reference(std::uint32_t rank, std::int64_t time_ns) const;

  bool operator==(const Clocks&) const = default;
};

Clocks estimate_clocks(const model::Job& job, const Alignment& alignment);

}  // namespace lockstep::ranks
