#include <gtest/gtest.h>

#include "diagnose/ranks/hang/sparse_evidence.h"
#include "diagnose/ranks/testing/job_sketch.h"

namespace lockstep::ranks {
namespace {

using testing::JobSketch;

// Of three ranks the last left nothing, and the others have only begun.
JobSketch without_rank_2() {
  JobSketch sketch(3);
  sketch.forget(2);
  for (const int rank : {0, 1}) sketch.history(rank).rank.begun_ns = 1;
  return sketch;
}

TEST(UnstartedRanks, AreThoseThatTheOthersWaitForBeforeTheirFirstCall) {
  const auto finding = find_unstarted_ranks(without_rank_2().job);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->leaf, model::Leaf::kSetupHang);
  EXPECT_EQ(finding->root_ranks, std::vector<int>{2});
  EXPECT_EQ(finding->victim_ranks, (std::vector<int>{0, 1}));
  EXPECT_FALSE(finding->fixes.empty());
}

TEST(UnstartedRanks, AreNobodyInParticularWhereMostAreMissing) {
  JobSketch sketch = without_rank_2();
  sketch.job.world_size = 9;
  const auto finding = find_unstarted_ranks(sketch.job);
  ASSERT_TRUE(finding);
  EXPECT_TRUE(finding->root_ranks.empty()) << "their files may not have been collected";
}

TEST(UnstartedRanks, AreNotToldOfOnceSomebodyCommunicates) {
  JobSketch sketch = without_rank_2();
  sketch.call(1, {.communicator = sketch.world(), .sequence = 1});
  EXPECT_FALSE(find_unstarted_ranks(sketch.job));
}

TEST(UnstartedRanks, AreNotToldOfJobsThatEnded) {
  for (const model::RankEnd end : {model::RankEnd::kClean, model::RankEnd::kExited}) {
    JobSketch sketch = without_rank_2();
    sketch.history(0).rank.end = end;
    EXPECT_FALSE(find_unstarted_ranks(sketch.job));
  }
}

TEST(UnstartedRanks, AreNotToldOfWhereRecordsDoNotReachBack) {
  JobSketch sketch = without_rank_2();
  sketch.history(0).begins_at_start = false;
  EXPECT_FALSE(find_unstarted_ranks(sketch.job));
  JobSketch dumps(3);
  dumps.forget(2);
  EXPECT_FALSE(find_unstarted_ranks(dumps.job)) << "an empty dump does not tell that its rank issued nothing";
}

TEST(UnstartedRanks, AreNoneWhereAllAreThere) {
  JobSketch sketch(2);
  for (const int rank : {0, 1}) sketch.history(rank).rank.begun_ns = 1;
  EXPECT_FALSE(find_unstarted_ranks(sketch.job));
}

}  // namespace
}  // namespace lockstep::ranks
