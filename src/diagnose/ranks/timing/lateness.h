// Whether a rank worked longer than its peers again and again, or only now and then as healthy ones do.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace lockstep::ranks {

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

// Found when it reaches this share of the time: below the 5 % that are to be found, above what ranks that
// are equal on paper differ by.
inline constexpr double kMinLostShare = 0.03;

}  // namespace lockstep::ranks
