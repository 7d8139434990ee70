#include "model/world_size_one.h"

#include <gtest/gtest.h>

#include "model/merge.h"

namespace lockstep::model {
namespace {

using Places = std::vector<std::size_t>;

Job world(int size, int rank, std::int64_t begin_ns, std::int64_t end_ns, int restart = 0) {
  Job part;
  part.world_size = size;
  RankHistory& history = part.ranks.emplace_back();
  history.rank.number = rank;
  history.rank.restart = restart;
  history.rank.begun_ns = begin_ns;
  history.rank.ended_ns = end_ns;
  return part;
}

Job killed(Job part, std::int64_t last_event_ns) {
  part.ranks.front().rank.ended_ns.reset();
  Event step;
  step.kind = EventKind::kActivity;
  step.begin_ns = last_event_ns;
  part.ranks.front().events = {step};
  return part;
}

TEST(WorldSizeOne, AreProcessesAloneAtTheSameTime) {
  EXPECT_EQ(world_size_one(std::vector{world(1, 0, 10, 90), world(1, 0, 20, 95, 1)}), (Places{0, 1}));
}

TEST(WorldSizeOne, AJobOfOneRankThatWasRestartedIsNone) {
  EXPECT_EQ(world_size_one(std::vector{world(1, 0, 10, 20), world(1, 0, 30, 90, 1)}), Places{});
}

TEST(WorldSizeOne, AProcessThatWasKilledLivedUntilItsLastEvent) {
  EXPECT_EQ(world_size_one(std::vector{killed(world(1, 0, 10, 0), 25), world(1, 0, 30, 90, 1)}), Places{});
  EXPECT_EQ(world_size_one(std::vector{killed(world(1, 0, 10, 0), 35), world(1, 0, 30, 90, 1)}),
            (Places{0, 1}));
}

TEST(WorldSizeOne, RanksThatKnowOfEachOtherAreNone) {
  EXPECT_EQ(world_size_one(std::vector{world(2, 0, 10, 90), world(2, 1, 10, 90)}), Places{});
}

TEST(WorldSizeOne, ALongLifeOverlapsWithSeveralShortOnes) {
  EXPECT_EQ(world_size_one(std::vector{world(1, 0, 0, 100), world(1, 0, 10, 20, 1), world(1, 0, 30, 40, 2)}),
            (Places{0, 1, 2}));
}

TEST(WorldSizeOne, AreNotTakenForRestarts) {
  const Job job = merge({world(1, 0, 10, 90), world(1, 0, 20, 95, 1)});
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks.front().rank.restart, 0);
  ASSERT_EQ(job.limits.size(), 1U);
  EXPECT_NE(job.limits.front().find("2 processes"), std::string::npos) << job.limits.front();
}

}  // namespace
}  // namespace lockstep::model
