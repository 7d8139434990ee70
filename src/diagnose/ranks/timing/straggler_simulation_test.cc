// The thresholds of lateness.cc, proved on simulated jobs: none of a thousand healthy ones gives an alarm,
// and slow ranks are found.
#include <gtest/gtest.h>

#include "diagnose/ranks/testing/job_simulation.h"
#include "diagnose/ranks/timing/straggler.h"

namespace lockstep::ranks {
namespace {

using testing::grid_phases;
using testing::kAllNoise;
using testing::Noise;
using testing::simulate;
using testing::Simulation;

// The shape of job number `seed`: how many ranks, how long, which noise, in one group or in a grid.
Simulation job_number(std::uint32_t seed) {
  constexpr int kRanks[] = {2, 3, 4, 8, 16, 32, 64};
  constexpr int kSteps[] = {20, 40, 100, 300};
  Simulation simulation;
  simulation.seed = seed;
  simulation.noise = kAllNoise[seed % std::size(kAllNoise)];
  simulation.ranks = kRanks[seed / 9 % std::size(kRanks)];
  simulation.steps = kSteps[seed / 63 % std::size(kSteps)];
  simulation.only_duration = seed % 5 == 0;
  if (simulation.ranks >= 8 && seed % 3 == 0) simulation.phases = grid_phases(simulation.ranks, 4, 3);
  return simulation;
}

Stragglers stragglers_of(const Simulation& simulation) {
  const testing::JobSketch sketch = simulate(simulation);
  return find_stragglers(sketch.job, measure_timings(sketch.job, align(sketch.job)));
}

TEST(StragglerSimulation, AThousandHealthyJobsGiveNoAlarm) {
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    const Stragglers found = stragglers_of(job_number(seed));
    EXPECT_TRUE(found.ranks.empty()) << "seed " << seed << ": rank " << found.ranks.front().rank << " by "
                                     << found.ranks.front().lost_share << ", significance "
                                     << found.ranks.front().significance;
  }
}

struct Tally {
  int jobs = 0;
  int found = 0;
  int wrong = 0;

  double rate() const { return static_cast<double>(found) / jobs; }
};

// The factor by which a rank's work must grow to cost the job this share of its usual step.
double slowness_for(double share, const Simulation& simulation) {
  if (simulation.phases.empty()) return 1 + share * (10 + simulation.transfer_ms) / 10;
  double work_ms = 0;
  for (const testing::Phase& phase : simulation.phases) work_ms += phase.work_ms;
  return 1 +
         share * (work_ms + simulation.transfer_ms * static_cast<double>(simulation.phases.size())) / work_ms;
}

// Ordinary noise in jobs long enough to see 5 % through it; and all jobs, with noise of 30 % and of 20 steps
// too.
struct Tallies {
  Tally ordinary;
  Tally all;
};

Tallies look_for(double share) {
  Tallies tallies;
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    Simulation simulation = job_number(seed);
    const int slow = static_cast<int>(seed * 7) % simulation.ranks;
    const double slowness = slowness_for(share, simulation);
    simulation.slowness = [=](int rank, int) { return rank == slow ? slowness : 1.0; };
    const Stragglers stragglers = stragglers_of(simulation);
    const bool is_ordinary = simulation.noise != Noise::kWideLogNormal &&
                             simulation.noise != Noise::kWandering && simulation.steps >= 100;
    for (Tally* tally : {&tallies.all, is_ordinary ? &tallies.ordinary : nullptr}) {
      if (tally == nullptr) continue;
      ++tally->jobs;
      if (stragglers.ranks.size() == 1 && stragglers.ranks[0].rank == slow) ++tally->found;
      for (const Straggler& one : stragglers.ranks) tally->wrong += one.rank != slow;
    }
  }
  return tallies;
}

class FindsSlowRanks : public ::testing::TestWithParam<double> {};

TEST_P(FindsSlowRanks, AlmostAlwaysAndNeverAnother) {
  const auto [ordinary, all] = look_for(GetParam());
  RecordProperty("found_in_ordinary_jobs", std::to_string(ordinary.rate()));
  RecordProperty("found_in_short_and_noisy_ones_too", std::to_string(all.rate()));
  EXPECT_GE(ordinary.jobs, 300);
  EXPECT_GE(ordinary.rate(), 0.95);
  EXPECT_EQ(all.wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(ByShareOfTheStep, FindsSlowRanks, ::testing::Values(0.05, 0.1, 0.5));

}  // namespace
}  // namespace lockstep::ranks
