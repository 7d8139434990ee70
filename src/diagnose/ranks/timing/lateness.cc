#include <algorithm>
#include <cmath>
#include <vector>

#include "diagnose/ranks/thresholds.h"
#include "diagnose/ranks/timing/robust.h"
#include "diagnose/ranks/timing/straggler.h"

namespace lockstep::ranks {
namespace {

// A spread that was itself estimated from few windows says less.
double least_significance(std::size_t windows) {
  return 5 * (1 + 20 / static_cast<double>(windows));
}

struct Known {
  std::size_t window;
  double excess_ns;
};

std::vector<double> excess_from(std::span<const Known> known) {
  std::vector<double> values;
  values.reserve(known.size());
  for (const Known& one : known) values.push_back(one.excess_ns);
  return values;
}

double median_from(std::span<const Known> known) {
  std::vector<double> values = excess_from(known);
  return lower_median(values);
}

// A coin thrown as often as there are windows would seldom fall on one side so often.
double sign_significance(std::span<const Known> known) {
  const auto above = std::ranges::count_if(known, [](const Known& one) { return one.excess_ns > 0; });
  const auto count = static_cast<double>(known.size());
  return (static_cast<double>(above) - count / 2) / (std::sqrt(count) / 2);
}

std::optional<Lateness> judge(std::span<const Known> known, double window_ns) {
  if (known.size() < kMinWindows) return std::nullopt;
  const Centre centre = trimmed_centre(excess_from(known));
  if (centre.value < kMinLostShare * window_ns) return std::nullopt;
  if (centre.significance() < least_significance(known.size()) ||
      sign_significance(known) < kMinSignSignificance) {
    return std::nullopt;
  }
  return Lateness{.excess_ns = centre.value,
                  .significance = centre.significance(),
                  .first_window = known.front().window,
                  .windows = known.size()};
}

// Where the values rise: the lowest point of the running sum of their ranks, which one wild value cannot
// move.
std::size_t find_rise(std::span<const Known> known) {
  std::vector<double> sorted = excess_from(known);
  std::ranges::sort(sorted);
  double sum = 0;
  double lowest = 0;
  std::size_t rise = 0;
  for (std::size_t at = 0; at < known.size(); ++at) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), known[at].excess_ns);
    const auto rank = static_cast<double>((first - sorted.begin()) + (last - sorted.begin())) / 2;
    sum += rank - static_cast<double>(known.size()) / 2;
    if (sum < lowest) {
      lowest = sum;
      rise = at + 1;
    }
  }
  return rise;
}

bool is_worth_a_look(std::span<const Known> known, double window_ns) {
  const double least = kMinLostShare * window_ns;
  return median_from(known) >= least || median_from(known.last(kMinWindows)) >= least;
}

}  // namespace

std::optional<Lateness> persistent_lateness(std::span<const double> excess_ns, double window_ns) {
  std::vector<Known> known;
  known.reserve(excess_ns.size());
  for (std::size_t at = 0; at < excess_ns.size(); ++at) {
    if (!std::isnan(excess_ns[at])) known.push_back({at, excess_ns[at]});
  }
  if (known.size() < kMinWindows || window_ns <= 0 || !is_worth_a_look(known, window_ns)) {
    return std::nullopt;
  }
  const std::size_t rise = find_rise(known);
  const std::span<const Known> before = std::span(known).first(rise);
  const std::span<const Known> after = std::span(known).subspan(rise);
  std::optional<Lateness> late_after;
  if (after.size() >= kMinWindowsAfterRise) late_after = judge(after, window_ns);
  const bool was_well_before =
      late_after && before.size() >= 3 && median_from(before) < late_after->excess_ns / 3;
  if (was_well_before) return late_after;
  std::optional<Lateness> late_always = judge(known, window_ns);
  if (late_always) late_always->first_window = 0;
  return late_always;
}

}  // namespace lockstep::ranks
