// Ranks that make the others wait again and again because their own work takes longer.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "diagnose/ranks/align.h"
#include "diagnose/ranks/timing/timings.h"
#include "model/finding.h"

namespace lockstep::ranks {

struct Straggler {
  int rank = 0;
  model::CommunicatorId communicator = model::CommunicatorId::kNone;  // among whose members it stands out
  std::size_t peers = 0;                                              // the others it was compared with
  double slower = 0;                   // its own work takes this share longer than its peers': 0.12
  double lost_share = 0;               // of the whole time, that the others wait for it
  double lost_ns = 0;                  // in one cycle of the communicator's calls, mostly a step
  double lost_in_all_ns = 0;           // while the evidence lasts
  double significance = 0;             // in standard errors
  std::optional<std::uint64_t> since;  // the collective at which it began; absent: from the start
  EventPlace first;                    // a call of the rank where it was late, and
  EventPlace last;                     // the last one that was compared

  bool operator==(const Straggler&) const = default;
};

struct SlowHost {
  int host = 0;  // index into Job::hosts
  std::vector<int> ranks;

  bool operator==(const SlowHost&) const = default;
};

struct Stragglers {
  std::vector<Straggler> ranks;  // ascending by rank
  std::vector<SlowHost> hosts;   // all of whose ranks, two at least, are among them; ascending

  bool operator==(const Stragglers&) const = default;
};

Stragglers find_stragglers(const model::Job& job, const Timings& timings);

// One finding per slow host, one for all other slow ranks together; none for what cost the job next to
// nothing.
std::vector<model::Finding> findings_of(const model::Job& job, const Alignment& alignment,
                                        const Stragglers& stragglers);

// Whether a rank worked longer than its peers again and again, or only now and then as healthy ones do.

struct Lateness {
  double excess_ns = 0;          // in one window, the middle of all since first_window
  double significance = 0;       // in standard errors
  std::size_t first_window = 0;  // 0: from the start, or it cannot be told
  std::size_t windows = 0;       // how many tell it

  bool operator==(const Lateness&) const = default;
};

// `excess_ns` by window: how much longer than its peers the rank worked; NaN where nothing is known.
// `window_ns`: how long a window usually is.
std::optional<Lateness> persistent_lateness(std::span<const double> excess_ns, double window_ns);

}  // namespace lockstep::ranks
