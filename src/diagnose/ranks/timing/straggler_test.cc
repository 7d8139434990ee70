#include "diagnose/ranks/timing/straggler.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "diagnose/ranks/testing/job_simulation.h"
#include "diagnose/ranks/testing/relabel.h"

namespace lockstep::ranks {
namespace {

using testing::grid_phases;
using testing::JobSketch;
using testing::Noise;
using testing::simulate;
using testing::Simulation;

Stragglers stragglers_of(const model::Job& job) {
  return find_stragglers(job, measure_timings(job, align(job)));
}

std::vector<int> ranks_of(const Stragglers& stragglers) {
  std::vector<int> ranks;
  for (const Straggler& one : stragglers.ranks) ranks.push_back(one.rank);
  return ranks;
}

// One rank is slow from a step on.
auto slow_rank(int slow, double factor, int from_step = 0) {
  return [=](int rank, int step) { return rank == slow && step >= from_step ? factor : 1.0; };
}

TEST(Straggler, TellsHowMuchAndSinceWhen) {
  Simulation simulation;
  simulation.ranks = 16;
  simulation.steps = 1000;
  simulation.slowness = slow_rank(5, 1.2, 600);
  const Stragglers found = stragglers_of(simulate(simulation).job);
  ASSERT_EQ(ranks_of(found), std::vector{5});
  const Straggler& late = found.ranks[0];
  EXPECT_EQ(late.peers, 15U);
  EXPECT_NEAR(late.slower, 0.2, 0.03);
  EXPECT_NEAR(late.lost_ns, 2e6, 3e5);  // of the 10 ms of work in a step
  ASSERT_TRUE(late.since);
  EXPECT_NEAR(static_cast<double>(*late.since), 600, 15);
}

TEST(Straggler, IsSilentSinceWhenForOneThatWasSlowFromTheStart) {
  Simulation simulation;
  simulation.slowness = slow_rank(3, 1.1);
  const Stragglers found = stragglers_of(simulate(simulation).job);
  ASSERT_EQ(ranks_of(found), std::vector{3});
  EXPECT_FALSE(found.ranks[0].since);
}

// Rank 6 is slow. Its row waits for it, so the whole row comes late to its columns; only rank 6 works longer.
TEST(Straggler, ClearsRanksThatAreLateBecauseTheyWaited) {
  for (const bool only_duration : {false, true}) {
    Simulation simulation;
    simulation.ranks = 16;
    simulation.phases = grid_phases(16, 4, 3);
    simulation.only_duration = only_duration;
    simulation.slowness = slow_rank(6, 1.15);
    EXPECT_EQ(ranks_of(stragglers_of(simulate(simulation).job)), std::vector{6});
  }
}

TEST(Straggler, IsSilentAboutLessThanASliceOfTheSchedulerForAFewSeconds) {
  Simulation simulation;
  simulation.ranks = 4;
  simulation.steps = 500;
  simulation.slowness = slow_rank(1, 1.08);  // 0.8 of 10 ms
  const auto on_the_host = [&] {
    model::Job job = simulate(simulation).job;
    decltype(job.communicators) of_gloo;
    for (model::Communicator communicator : job.communicators.values()) {
      communicator.backend = "gloo";
      of_gloo.intern(communicator);
    }
    job.communicators = std::move(of_gloo);
    return ranks_of(stragglers_of(job));
  };
  EXPECT_EQ(on_the_host(), std::vector<int>{});
  EXPECT_EQ(ranks_of(stragglers_of(simulate(simulation).job)), std::vector{1}) << "a device has no scheduler";
  simulation.steps = 1500;
  EXPECT_EQ(on_the_host(), std::vector{1}) << "over 15 s it is no chance";
  simulation.steps = 500;
  simulation.slowness = slow_rank(1, 1.2);
  EXPECT_EQ(on_the_host(), std::vector{1});
}

TEST(Straggler, FindsASlowHost) {
  Simulation simulation;
  simulation.ranks = 16;
  simulation.ranks_per_host = 4;
  simulation.slowness = [](int rank, int) { return rank / 4 == 2 ? 1.1 : 1.0; };
  const Stragglers found = stragglers_of(simulate(simulation).job);
  EXPECT_EQ(ranks_of(found), (std::vector{8, 9, 10, 11}));
  ASSERT_EQ(found.hosts.size(), 1U);
  EXPECT_EQ(found.hosts[0].host, 2);
}

TEST(Straggler, FindsTheSlowHostOfTwo) {
  Simulation simulation;
  simulation.ranks = 8;
  simulation.ranks_per_host = 4;
  simulation.slowness = [](int rank, int) { return rank < 4 ? 1.2 : 1.0; };
  const Stragglers found = stragglers_of(simulate(simulation).job);
  EXPECT_EQ(ranks_of(found), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(found.hosts.size(), 1U);
}

TEST(Straggler, NeedsTwentyCollectives) {
  Simulation simulation;
  simulation.noise = Noise::kNone;
  simulation.slowness = slow_rank(1, 2);
  simulation.steps = 20;
  EXPECT_EQ(ranks_of(stragglers_of(simulate(simulation).job)), std::vector{1});
  simulation.steps = 19;
  EXPECT_TRUE(stragglers_of(simulate(simulation).job).ranks.empty());
}

// Each step has one long and many short stretches of work: single collectives cannot be compared, steps can.
TEST(Straggler, ComparesWholeSteps) {
  Simulation simulation;
  simulation.steps = 150;
  for (int layer = 0; layer < 5; ++layer) {
    simulation.phases.push_back(
        {.groups = testing::everyone(8), .work_ms = layer == 0 ? 10.0 : 0.2, .shape = {layer == 0 ? 8 : 16}});
  }
  simulation.slowness = slow_rank(2, 1.2);
  EXPECT_EQ(ranks_of(stragglers_of(simulate(simulation).job)), std::vector{2});
}

TEST(Straggler, DoesNotTakeLostRecordsForWork) {
  Simulation simulation;
  simulation.steps = 300;
  JobSketch sketch = simulate(simulation);
  std::vector<model::Event>& events = sketch.history(4).events;
  std::mt19937 random(1);
  std::erase_if(events, [&](const model::Event&) { return random() % 3 == 0; });
  EXPECT_TRUE(stragglers_of(sketch.job).ranks.empty());
}

TEST(Straggler, LeavesOutWhatHasNoEnd) {
  Simulation simulation;
  simulation.slowness = slow_rank(1, 2);
  JobSketch sketch = simulate(simulation);
  for (model::RankHistory& history : sketch.job.ranks) {
    for (model::Event& event : history.events) event.end_ns = model::kNoTime;
  }
  EXPECT_TRUE(stragglers_of(sketch.job).ranks.empty());
}

RC_GTEST_PROP(Straggler, DoesNotDependOnOrderOrNumbers, ()) {
  Simulation simulation;
  simulation.ranks = 8;
  simulation.ranks_per_host = 2;
  simulation.steps = 60;
  simulation.seed = *rc::gen::inRange(0U, 1000U);
  if (*rc::gen::arbitrary<bool>()) simulation.phases = grid_phases(8, 2, 2);
  const int slow_ranks = *rc::gen::inRange(0, 3);
  simulation.slowness = [=](int rank, int) { return rank < slow_ranks ? 1.3 : 1.0; };
  const JobSketch sketch = simulate(simulation);
  const std::uint32_t seed = *rc::gen::inRange(0U, 1000U);
  const std::vector<int> numbers = testing::other_numbers(8, seed);
  const Stragglers here = stragglers_of(sketch.job);
  const Stragglers there = stragglers_of(testing::relabel(sketch.job, numbers, seed));
  RC_ASSERT(ranks_of(there) == testing::renumbered(ranks_of(here), numbers));
  RC_ASSERT(there.hosts.size() == here.hosts.size());
  for (const Straggler& one : here.ranks) {
    const auto same =
        std::ranges::find(there.ranks, numbers[static_cast<std::size_t>(one.rank)], &Straggler::rank);
    RC_ASSERT(same->lost_share == one.lost_share);
    RC_ASSERT(same->since == one.since);
  }
}

// Damaged files may hold any times.
RC_GTEST_PROP(Straggler, SurvivesAnyTimes, ()) {
  JobSketch sketch(3);
  for (int rank = 0; rank < 3; ++rank) {
    for (std::uint64_t number = 0; number < 30; ++number) {
      const auto time =
          rc::gen::oneOf(rc::gen::arbitrary<std::int64_t>(), rc::gen::inRange<std::int64_t>(0, 1000),
                         rc::gen::element(model::kNoTime, std::numeric_limits<std::int64_t>::max()));
      model::Event& event = sketch.call(rank, {.communicator = sketch.world(), .sequence = number});
      event.begin_ns = *time;
      event.end_ns = *time;
      event.only_duration = *rc::gen::arbitrary<bool>();
    }
  }
  const Alignment alignment = align(sketch.job);
  findings_of(sketch.job, alignment, find_stragglers(sketch.job, measure_timings(sketch.job, alignment)));
}

std::vector<model::Finding> findings_in(const Simulation& simulation) {
  const JobSketch sketch = simulate(simulation);
  const Alignment alignment = align(sketch.job);
  return findings_of(sketch.job, alignment,
                     find_stragglers(sketch.job, measure_timings(sketch.job, alignment)));
}

TEST(StragglerFinding, NamesRankPeersAndBeginning) {
  Simulation simulation;
  simulation.ranks = 64;
  simulation.noise = Noise::kNone;
  simulation.steps = 2000;
  simulation.slowness = slow_rank(5, 1.12, 1200);
  const std::vector<model::Finding> findings = findings_in(simulation);
  ASSERT_EQ(findings.size(), 1U);
  const model::Finding& finding = findings[0];
  EXPECT_EQ(finding.title, "rank 5 is 12 % slower than its 63 peers since collective 1,199");
  EXPECT_EQ(finding.code, "straggler.rank");
  EXPECT_EQ(finding.root_ranks, std::vector{5});
  EXPECT_EQ(finding.victim_ranks.size(), 63U);
  ASSERT_EQ(finding.evidence.size(), 3U);
  EXPECT_EQ(finding.evidence[0].rank, 5);
  EXPECT_EQ(finding.evidence[0].file, "rank_5");
  EXPECT_NE(finding.evidence[2].rank, 5);
  EXPECT_FALSE(finding.fixes.empty());
}

TEST(StragglerFinding, TellsAHostInsteadOfItsRanks) {
  Simulation simulation;
  simulation.ranks = 16;
  simulation.ranks_per_host = 4;
  simulation.noise = Noise::kNone;
  simulation.steps = 2000;
  simulation.slowness = [](int rank, int) { return rank / 4 == 1 || rank == 15 ? 1.2 : 1.0; };
  const std::vector<model::Finding> findings = findings_in(simulation);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].title, "all 4 ranks of host host1 are 20 % slower than the others");
  EXPECT_EQ(findings[0].root_ranks, (std::vector{4, 5, 6, 7}));
  EXPECT_EQ(findings[1].root_ranks, std::vector{15});
}

TEST(StragglerFinding, StaysOneLineForManyRanks) {
  Simulation simulation;
  simulation.ranks = 600;
  simulation.ranks_per_host = 600;
  simulation.noise = Noise::kNone;
  simulation.steps = 400;
  simulation.slowness = [](int rank, int) { return rank < 250 ? 1.2 : 1.0; };
  const std::vector<model::Finding> findings = findings_in(simulation);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].title, "ranks 0-249 are 20 % slower than their peers");
  EXPECT_LE(findings[0].evidence.size(), 9U);
}

TEST(StragglerFinding, IsSilentAboutAFewMilliseconds) {
  Simulation simulation;
  simulation.noise = Noise::kNone;
  simulation.steps = 40;
  simulation.slowness = slow_rank(1, 1.5);
  EXPECT_TRUE(findings_in(simulation).empty());
}

}  // namespace
}  // namespace lockstep::ranks
