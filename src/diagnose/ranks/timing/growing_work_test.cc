#include <gtest/gtest.h>

#include "diagnose/ranks/testing/job_simulation.h"
#include "diagnose/ranks/timing/timings.h"

namespace lockstep::ranks {
namespace {

using testing::simulate;
using testing::Simulation;

std::optional<model::Finding> finding_in(const Simulation& simulation) {
  const testing::JobSketch sketch = simulate(simulation);
  return find_growing_work(sketch.job, measure_timings(sketch.job, align(sketch.job)));
}

Simulation of_ten_seconds() {
  Simulation simulation;
  simulation.ranks = 2;
  simulation.steps = 1000;
  return simulation;
}

TEST(GrowingWork, IsToldOfWorkThatGrowsOnEveryRank) {
  Simulation simulation = of_ten_seconds();
  simulation.noise = testing::Noise::kWideLogNormal;
  simulation.slowness = [](int, int step) { return 1 + step / 250.0; };
  const auto finding = finding_in(simulation);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->code, "slow.rate_falls");
  EXPECT_EQ(finding->leaf, model::Leaf::kPerfSlow);
  EXPECT_EQ(finding->scope, model::Scope::kOrdinary);
  EXPECT_TRUE(finding->root_ranks.empty());
  ASSERT_FALSE(finding->evidence.empty());
}

TEST(GrowingWork, IsNotToldOfOneRankAlone) {
  Simulation simulation = of_ten_seconds();
  simulation.slowness = [](int rank, int step) { return rank == 1 ? 1 + step / 250.0 : 1.0; };
  EXPECT_FALSE(finding_in(simulation)) << "that one is late, and told as such";
}

TEST(GrowingWork, IsNotToldOfALeap) {
  Simulation simulation = of_ten_seconds();
  simulation.slowness = [](int, int step) { return step < 500 ? 1.0 : 4.0; };
  EXPECT_FALSE(finding_in(simulation)) << "another program came to the machine, or the next phase began";
}

TEST(GrowingWork, IsNotToldOfALittle) {
  Simulation simulation = of_ten_seconds();
  simulation.slowness = [](int, int step) { return 1 + step / 2000.0; };
  EXPECT_FALSE(finding_in(simulation));
}

TEST(GrowingWork, IsSilentForHealthyJobs) {
  for (const testing::Noise noise : testing::kAllNoise) {
    Simulation simulation = of_ten_seconds();
    simulation.noise = noise;
    EXPECT_FALSE(finding_in(simulation));
  }
}

}  // namespace
}  // namespace lockstep::ranks
