#include "diagnose/ranks/timing/communication_time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "diagnose/ranks/testing/job_simulation.h"
#include "diagnose/ranks/testing/relabel.h"

namespace lockstep::ranks {
namespace {

using testing::JobSketch;
using testing::Noise;
using testing::simulate;
using testing::Simulation;

CommunicationTime time_of(const model::Job& job) {
  const Alignment alignment = align(job);
  return measure_communication_time(job, alignment, measure_timings(job, alignment));
}

std::optional<model::Finding> finding_in(const model::Job& job) {
  const Alignment alignment = align(job);
  const Timings timings = measure_timings(job, alignment);
  return finding_of(job, measure_communication_time(job, alignment, timings), find_stragglers(job, timings));
}

// The obvious way, for calls that do not overlap: of each twentieth of the events the share inside calls, and
// of each meeting the shortest stay.
double slow_middle(std::vector<double> values) {
  std::ranges::sort(values);
  return values[(values.size() - 1) / 2];
}

TimeShares slow_shares(const model::Job& job, std::size_t rank) {
  const std::vector<model::Event>& events = job.ranks[rank].events;
  std::vector<double> exposed;
  std::vector<double> transfer;
  for (std::size_t part = 0; part < 20; ++part) {
    const std::size_t first = (part * events.size() + 19) / 20;
    const std::size_t next = ((part + 1) * events.size() + 19) / 20;
    double inside = 0;
    double shortest = 0;
    for (std::size_t at = first; at < next; ++at) {
      inside += static_cast<double>(events[at].end_ns - events[at].begin_ns);
      double least = 1e18;
      for (const model::RankHistory& other : job.ranks) {
        for (const model::Event& event : other.events) {
          if (event.communicator != events[at].communicator || event.sequence != events[at].sequence)
            continue;
          least = std::min(least, static_cast<double>(static_cast<float>(event.end_ns - event.begin_ns)));
        }
      }
      shortest += least;
    }
    const std::int64_t end = next < events.size() ? events[next].begin_ns : events.back().end_ns;
    const auto length = static_cast<double>(end - events[first].begin_ns);
    exposed.push_back(inside / length);
    transfer.push_back(shortest / length);
  }
  return {.exposed = slow_middle(exposed),
          .transfer = slow_middle(transfer),
          .communication = slow_middle(exposed)};
}

RC_GTEST_PROP(CommunicationTime, AgreesWithTheObviousWay, ()) {
  Simulation simulation;
  simulation.ranks = 4;
  simulation.steps = *rc::gen::inRange(20, 60);
  simulation.seed = *rc::gen::inRange(0U, 1000U);
  if (*rc::gen::arbitrary<bool>()) simulation.phases = testing::grid_phases(4, 2, 1);
  const JobSketch sketch = simulate(simulation);
  const CommunicationTime time = time_of(sketch.job);
  RC_ASSERT(time.ranks.size() == 4U);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const TimeShares expected = slow_shares(sketch.job, rank);
    RC_ASSERT(std::abs(time.ranks[rank].shares.exposed - expected.exposed) < 1e-9);
    RC_ASSERT(std::abs(time.ranks[rank].shares.transfer - expected.transfer) < 1e-6);
    RC_ASSERT(std::abs(time.ranks[rank].shares.communication - expected.communication) < 1e-9);
  }
}

TEST(CommunicationTime, SplitsTransferFromWaiting) {
  Simulation simulation;
  simulation.noise = Noise::kNone;
  simulation.transfer_ms = 10;
  simulation.slowness = [](int rank, int step) { return rank == step % 8 ? 2.0 : 1.0; };  // late by turns
  const CommunicationTime time = time_of(simulate(simulation).job);
  EXPECT_NEAR(time.middle.transfer, 10.5 / 30.5, 0.02);
  EXPECT_NEAR(time.middle.waiting(), 10 / 30.5 * 7 / 8, 0.03);
  EXPECT_NEAR(time.scaling_loss(), time.middle.exposed, 1e-9);
}

TEST(CommunicationTime, DoesNotCountWhatIsOverlapped) {
  JobSketch sketch(2);
  for (int rank = 0; rank < 2; ++rank) {
    for (int number = 0; number < 100;
         ++number) {  // issued every 10 ms, each 9 ms behind the next one's issue
      const std::int64_t begin = number * 10 * JobSketch::kMillisecond;
      sketch.call(rank, {.communicator = sketch.world(),
                         .sequence = static_cast<std::uint64_t>(number),
                         .begin_ns = begin,
                         .end_ns = begin + 19 * JobSketch::kMillisecond});
    }
  }
  EXPECT_EQ(time_of(sketch.job).middle.exposed, 0);
}

TEST(CommunicationTime, NeedsTwentyCollectives) {
  EXPECT_TRUE(time_of(simulate({.ranks = 2, .steps = 19}).job).ranks.empty());
  EXPECT_EQ(time_of(simulate({.ranks = 2, .steps = 20}).job).ranks.size(), 2U);
}

RC_GTEST_PROP(CommunicationTime, DoesNotDependOnOrderOrNumbers, ()) {
  Simulation simulation;
  simulation.ranks = 6;
  simulation.steps = 30;
  simulation.seed = *rc::gen::inRange(0U, 1000U);
  const JobSketch sketch = simulate(simulation);
  const std::uint32_t seed = *rc::gen::inRange(0U, 1000U);
  const std::vector<int> numbers = testing::other_numbers(6, seed);
  const CommunicationTime here = time_of(sketch.job);
  const CommunicationTime there = time_of(testing::relabel(sketch.job, numbers, seed));
  RC_ASSERT(there.middle == here.middle);
  for (const RankTime& one : here.ranks) {
    const auto same =
        std::ranges::find(there.ranks, numbers[static_cast<std::size_t>(one.rank)], &RankTime::rank);
    RC_ASSERT(same->shares == one.shares);
  }
}

Simulation minutes_long() {
  Simulation simulation;
  simulation.phases = {{.groups = testing::everyone(8), .work_ms = 1000}};
  return simulation;
}

TEST(CommunicationTimeFinding, TellsOfMuchTransfer) {
  Simulation simulation = minutes_long();
  simulation.transfer_ms = 1000;
  const std::optional<model::Finding> finding = finding_in(simulate(simulation).job);
  ASSERT_TRUE(finding);
  EXPECT_NE(finding->title.find("mostly moving data"), std::string::npos) << finding->title;
  EXPECT_LT(finding->confidence, 0.5);
  EXPECT_EQ(finding->evidence.size(), 1U);
  EXPECT_FALSE(finding->fixes.empty());
}

TEST(CommunicationTimeFinding, IsSilentWhenWorkPrevails) {
  Simulation simulation = minutes_long();
  simulation.transfer_ms = 300;
  EXPECT_FALSE(finding_in(simulate(simulation).job));
}

TEST(CommunicationTimeFinding, LeavesItToTheStraggler) {
  Simulation simulation = minutes_long();
  simulation.slowness = [](int rank, int) { return rank == 3 ? 2.5 : 1.0; };
  const JobSketch sketch = simulate(simulation);
  EXPECT_GT(time_of(sketch.job).middle.exposed, 0.5);
  EXPECT_FALSE(finding_in(sketch.job));
}

TEST(CommunicationTimeFinding, IsSilentAboutShortJobs) {
  Simulation simulation = minutes_long();
  simulation.transfer_ms = 1000;
  simulation.steps = 25;
  EXPECT_FALSE(finding_in(simulate(simulation).job));
}

}  // namespace
}  // namespace lockstep::ranks
