// Stragglers found the long way: every median by sorting, every rank against a list of all others.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "diagnose/ranks/testing/job_simulation.h"
#include "diagnose/ranks/thresholds.h"
#include "diagnose/ranks/timing/straggler.h"

namespace lockstep::ranks {
namespace {

using Values = std::vector<double>;

Values sorted(Values values) {
  std::ranges::sort(values);
  return values;
}

double lower_middle(const Values& values) {
  return values.empty() ? 0 : sorted(values)[(values.size() - 1) / 2];
}

double middle(const Values& values) {
  const Values order = sorted(values);
  return (order[(order.size() - 1) / 2] + order[order.size() / 2]) / 2;
}

double mean(const Values& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

struct Excess {
  std::size_t window = 0;
  double ns = 0;
};

Values values_of(const std::vector<Excess>& excesses) {
  Values values;
  for (const Excess& one : excesses) values.push_back(one.ns);
  return values;
}

struct TwinLateness {
  double excess_ns = 0;
  double significance = 0;
  std::size_t first_window = 0;
  std::size_t windows = 0;
};

// The mean without the fifth at either end over its standard error, by the definition of both.
std::optional<TwinLateness> twin_judge(const std::vector<Excess>& known, double window_ns) {
  if (known.size() < 16) return std::nullopt;
  const Values values = values_of(known);
  const Values order = sorted(values);
  const auto count = static_cast<double>(values.size());
  const auto cut = static_cast<std::size_t>(0.2 * count);
  const Values kept(order.begin() + static_cast<std::ptrdiff_t>(cut),
                    order.end() - static_cast<std::ptrdiff_t>(cut));
  Values clamped;
  for (const double value : values) clamped.push_back(std::clamp(value, kept.front(), kept.back()));
  double alone = 0;
  double together = 0;
  for (std::size_t at = 0; at < clamped.size(); ++at) {
    alone += std::pow(clamped[at] - mean(clamped), 2);
    if (at > 0) together += (clamped[at] - mean(clamped)) * (clamped[at - 1] - mean(clamped));
  }
  const double alike = std::clamp((alone > 0 ? together / alone : 0) + 3 / count, 0.0, 0.9);
  const double error = std::sqrt(alone / (count - 1)) * std::sqrt(count) / static_cast<double>(kept.size()) *
                       std::sqrt((1 + alike) / (1 - alike));
  if (mean(kept) < kMinLostShare * window_ns) return std::nullopt;
  if (error * 5 * (1 + 20 / count) > mean(kept)) return std::nullopt;
  const auto above = static_cast<double>(std::ranges::count_if(values, [](double one) { return one > 0; }));
  if ((above - count / 2) / (std::sqrt(count) / 2) < 4) return std::nullopt;
  return TwinLateness{mean(kept), mean(kept) / error, known.front().window, known.size()};
}

// Where the sum of the ranks till then, less what chance gives, is lowest.
std::size_t twin_rise(const std::vector<Excess>& known) {
  const auto half = static_cast<double>(known.size()) / 2;
  double lowest = 0;
  std::size_t rise = 0;
  for (std::size_t until = 1; until <= known.size(); ++until) {
    double sum = 0;
    for (std::size_t at = 0; at < until; ++at) {
      double below = 0;
      double equal = 0;
      for (const Excess& other : known) {
        below += other.ns < known[at].ns ? 1 : 0;
        equal += other.ns == known[at].ns ? 1 : 0;
      }
      sum += below + equal / 2 - half;
    }
    if (sum < lowest) {
      lowest = sum;
      rise = until;
    }
  }
  return rise;
}

std::optional<TwinLateness> twin_lateness(const std::vector<Excess>& known, double window_ns) {
  if (known.size() < 16 || window_ns <= 0) return std::nullopt;
  const double least = kMinLostShare * window_ns;
  const std::vector<Excess> end(known.end() - 16, known.end());
  if (lower_middle(values_of(known)) < least && lower_middle(values_of(end)) < least) return std::nullopt;
  const auto rise = known.begin() + static_cast<std::ptrdiff_t>(twin_rise(known));
  const std::vector<Excess> before(known.begin(), rise);
  const std::vector<Excess> after(rise, known.end());
  const auto late = after.size() >= 24 ? twin_judge(after, window_ns) : std::nullopt;
  if (late && before.size() >= 3 && lower_middle(values_of(before)) < late->excess_ns / 3) return late;
  std::optional<TwinLateness> always = twin_judge(known, window_ns);
  if (always) always->first_window = 0;
  return always;
}

struct TwinStraggler {
  std::size_t peers = 0;
  double slower = 0;
  double lost_share = 0;
  double significance = 0;
  std::optional<std::uint64_t> since;
};

// Of one communicator, by index into Job::ranks.
std::map<std::uint32_t, TwinStraggler> twin_of(const WaitWindows& windows) {
  std::map<std::size_t, std::vector<Excess>> excess;
  Values lengths;
  Values waits;
  for (std::size_t window = 0; window < windows.count(); ++window) {
    std::map<std::size_t, double> waited;
    Values length;
    for (std::size_t rank = 0; rank < windows.ranks.size(); ++rank) {
      if (!windows.is_whole(rank, window)) continue;
      waited[rank] = windows.waited_ns(rank, window);
      length.push_back(std::max(windows.length_ns(rank, window), waited[rank]));
    }
    if (waited.size() < 2) continue;
    Values work;
    for (const auto& [rank, wait] : waited) {
      work.push_back(-wait);
      Values others;
      for (const auto& [other, others_wait] : waited) {
        if (other != rank) others.push_back(-others_wait);
      }
      excess[rank].push_back({window, -wait - middle(others)});
    }
    lengths.push_back(lower_middle(length));
    waits.push_back(-lower_middle(work));
  }
  const double window_ns = lower_middle(lengths);
  Values centres;
  for (const auto& [rank, known] : excess) centres.push_back(lower_middle(values_of(known)));
  Values distances;
  for (const double centre : centres) {
    if (centre <= lower_middle(centres)) distances.push_back(lower_middle(centres) - centre);
  }
  const double spread_ns = centres.size() < 4 ? 0 : 1.4826 * lower_middle(distances);
  std::map<std::uint32_t, TwinStraggler> found;
  for (const auto& [rank, known] : excess) {
    const auto late = twin_lateness(known, window_ns);
    if (!late) continue;
    const double fewer = std::sqrt(static_cast<double>(windows.count()) / static_cast<double>(late->windows));
    if (late->excess_ns < 5 * spread_ns * fewer) continue;
    found[windows.ranks[rank]] = {
        .peers = windows.ranks.size() - 1,
        .slower = late->excess_ns / std::max(window_ns - lower_middle(waits), window_ns / 20),
        .lost_share = late->excess_ns / window_ns,
        .significance = late->significance,
        .since =
            late->first_window == 0 ? std::nullopt : std::optional(windows.sequences[late->first_window])};
  }
  return found;
}

void expect_near(double ours, double twins) {
  RC_ASSERT(ours == twins || std::abs(ours - twins) <= 1e-9 * std::abs(twins));
}

RC_GTEST_PROP(StragglerTwin, FindsTheSameRanksAsMuchAndAsLong, ()) {
  testing::Simulation simulation;
  simulation.ranks = *rc::gen::element(2, 3, 4, 7, 8);
  simulation.steps = *rc::gen::inRange(15, 130);
  simulation.seed = *rc::gen::inRange(0U, 100'000U);
  simulation.noise = *rc::gen::elementOf(
      std::vector<testing::Noise>(std::begin(testing::kAllNoise), std::end(testing::kAllNoise)));
  if (simulation.ranks == 8 && *rc::gen::arbitrary<bool>())
    simulation.phases = testing::grid_phases(8, 2, *rc::gen::inRange(1, 4));
  const int slow = *rc::gen::inRange(0, simulation.ranks);
  const int from = *rc::gen::inRange(0, simulation.steps);
  const double factor = *rc::gen::element(1.0, 1.03, 1.05, 1.2, 2.0);
  simulation.slowness = [=](int rank, int step) { return rank == slow && step >= from ? factor : 1.0; };
  const testing::JobSketch sketch = testing::simulate(simulation);
  const Timings timings = measure_timings(sketch.job, align(sketch.job));
  const Stragglers found = find_stragglers(sketch.job, timings);

  // Of what several communicators tell about a rank, the one with most peers counts, then the surest.
  std::map<int, TwinStraggler> expected;
  for (const WaitWindows& windows : timings.windows) {
    for (const auto& [index, twin] : twin_of(windows)) {
      const auto [place, is_new] = expected.try_emplace(sketch.job.ranks[index].rank.number, twin);
      const bool tells_more = std::pair(twin.peers, twin.significance) >
                              std::pair(place->second.peers, place->second.significance);
      if (!is_new && tells_more) place->second = twin;
    }
  }
  RC_CLASSIFY(!expected.empty());
  RC_ASSERT(found.ranks.size() == expected.size());
  auto twin = expected.begin();
  for (const Straggler& straggler : found.ranks) {
    RC_ASSERT(straggler.rank == twin->first);
    RC_ASSERT(straggler.peers == twin->second.peers);
    RC_ASSERT(straggler.since == twin->second.since);
    expect_near(straggler.slower, twin->second.slower);
    expect_near(straggler.lost_share, twin->second.lost_share);
    ++twin;
  }
}

}  // namespace
}  // namespace lockstep::ranks
