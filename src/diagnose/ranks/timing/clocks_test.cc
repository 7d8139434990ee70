#include "diagnose/ranks/timing/clocks.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "diagnose/ranks/testing/job_simulation.h"
#include "diagnose/ranks/testing/relabel.h"

namespace lockstep::ranks {
namespace {

using testing::JobSketch;
using testing::simulate;
using testing::Simulation;

constexpr std::int64_t kMillisecond = JobSketch::kMillisecond;

Clocks clocks_of(const model::Job& job) {
  return estimate_clocks(job, align(job));
}

// How far the clock of a simulated host is really ahead of the first host's.
std::int64_t true_ahead_ns(int host) {
  return (testing::clock_ahead_ms(host) - testing::clock_ahead_ms(0)) * kMillisecond;
}

RC_GTEST_PROP(Clocks, AreWithinTheirUncertainty, ()) {
  Simulation simulation;
  simulation.ranks = *rc::gen::inRange(2, 13);
  simulation.ranks_per_host = *rc::gen::inRange(1, 4);
  simulation.steps = *rc::gen::inRange(1, 40);
  simulation.seed = *rc::gen::inRange(0U, 1000U);
  const Clocks clocks = clocks_of(simulate(simulation).job);
  for (const Clock& clock : clocks.clocks) {
    RC_ASSERT(clock.ahead_ns.has_value());
    RC_ASSERT(std::abs(*clock.ahead_ns - true_ahead_ns(*clock.host)) <= clock.uncertainty_ns);
    RC_ASSERT(std::abs(*clock.ahead_ns - true_ahead_ns(*clock.host)) <
              kMillisecond / 10);  // the median is sharper
  }
}

// The obvious way for two clocks: every end of one against every beginning of the other.
RC_GTEST_PROP(Clocks, AgreeWithAllPairsOfTwoHosts, ()) {
  Simulation simulation;
  simulation.ranks = 4;
  simulation.ranks_per_host = 2;
  simulation.steps = *rc::gen::inRange(1, 20);
  simulation.seed = *rc::gen::inRange(0U, 1000U);
  const JobSketch sketch = simulate(simulation);
  const Alignment alignment = align(sketch.job);
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const Meeting& meeting : alignment.meetings()) {
    for (const EventPlace a : meeting.arrivals) {
      for (const EventPlace b : meeting.arrivals) {
        if (a.rank < 2 || b.rank >= 2) continue;
        const model::Event& there = event_at(sketch.job, a);
        const model::Event& here = event_at(sketch.job, b);
        most = std::min(most, there.end_ns - here.begin_ns);
        least = std::max(least, there.begin_ns - here.end_ns);
      }
    }
  }
  const Clocks clocks = estimate_clocks(sketch.job, alignment);
  const std::int64_t ahead = *clocks.clocks[1].ahead_ns;
  RC_ASSERT(clocks.clocks[1].uncertainty_ns == std::max(ahead - least, most - ahead));
}

TEST(Clocks, ChainThroughGroupsThatShareAHost) {
  Simulation simulation;
  simulation.ranks = 6;
  simulation.ranks_per_host = 2;
  simulation.phases = {{.groups = {{0, 2}, {3, 4}}}, {.groups = {{1, 3}}}};
  const Clocks clocks = clocks_of(simulate(simulation).job);
  ASSERT_EQ(clocks.clocks.size(), 3U);
  for (const Clock& clock : clocks.clocks) {
    ASSERT_TRUE(clock.ahead_ns);
    EXPECT_LE(std::abs(*clock.ahead_ns - true_ahead_ns(*clock.host)), clock.uncertainty_ns);
  }
  EXPECT_EQ(clocks.clock_of_rank, (std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2}));
}

TEST(Clocks, AreUnknownWhereNoCollectiveJoinsThem) {
  Simulation simulation;
  simulation.ranks = 4;
  simulation.ranks_per_host = 2;
  simulation.phases = {{.groups = {{0, 1}, {2, 3}}}};
  const Clocks clocks = clocks_of(simulate(simulation).job);
  EXPECT_EQ(clocks.clocks[0].ahead_ns, 0);
  EXPECT_FALSE(clocks.clocks[1].ahead_ns);
  EXPECT_FALSE(clocks.to_reference(2, 5));
  EXPECT_EQ(clocks.to_reference(1, 5), 5);
}

TEST(Clocks, BelongToRanksWhereNoHostIsKnown) {
  JobSketch sketch = simulate({.ranks = 3, .steps = 5, .ranks_per_host = 1});
  for (model::RankHistory& history : sketch.job.ranks) history.rank.host = std::nullopt;
  const Clocks clocks = clocks_of(sketch.job);
  ASSERT_EQ(clocks.clocks.size(), 3U);
  EXPECT_NEAR(static_cast<double>(*clocks.clocks[2].ahead_ns), static_cast<double>(true_ahead_ns(2)), 1e5);
}

TEST(Clocks, DoNotBelieveBroadcastsAndBareDurations) {
  JobSketch sketch = simulate({.ranks = 2, .steps = 5, .ranks_per_host = 1, .only_duration = true});
  EXPECT_FALSE(clocks_of(sketch.job).clocks[1].ahead_ns);
  JobSketch other(2);
  for (int rank = 0; rank < 2; ++rank) {
    other.call(rank, {.communicator = other.world(),
                      .sequence = 1,
                      .operation = model::Operation::kBroadcast,
                      .begin_ns = 10,
                      .end_ns = 20});
  }
  EXPECT_FALSE(clocks_of(other.job).clocks[1].ahead_ns);
}

RC_GTEST_PROP(Clocks, DoNotDependOnOrder, ()) {
  Simulation simulation;
  simulation.ranks = 8;
  simulation.ranks_per_host = 2;
  simulation.phases = testing::grid_phases(8, 4, 1);
  simulation.steps = 20;
  simulation.seed = *rc::gen::inRange(0U, 1000U);
  const JobSketch sketch = simulate(simulation);
  const Clocks here = clocks_of(sketch.job);
  const Clocks there =
      clocks_of(testing::relabel(sketch.job, testing::same_numbers(8), *rc::gen::inRange(0U, 1000U)));
  for (std::size_t at = 0; at < here.clocks.size(); ++at) {
    RC_ASSERT(here.clocks[at].lowest_rank == there.clocks[at].lowest_rank);
    RC_ASSERT(here.clocks[at].ahead_ns == there.clocks[at].ahead_ns);
    RC_ASSERT(here.clocks[at].uncertainty_ns == there.clocks[at].uncertainty_ns);
  }
}

RC_GTEST_PROP(Clocks, SurviveAnyTimes, ()) {
  JobSketch sketch(4);
  for (int rank = 0; rank < 4; ++rank) {
    for (std::uint64_t number = 0; number < 4; ++number) {
      model::Event& event = sketch.call(rank, {.communicator = sketch.world(), .sequence = number});
      event.begin_ns = *rc::gen::arbitrary<std::int64_t>();
      event.end_ns = *rc::gen::arbitrary<std::int64_t>();
    }
  }
  clocks_of(sketch.job);
}

}  // namespace
}  // namespace lockstep::ranks
