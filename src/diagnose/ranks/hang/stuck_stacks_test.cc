#include <gtest/gtest.h>

#include "diagnose/ranks/hang/sparse_evidence.h"
#include "diagnose/ranks/testing/job_sketch.h"

namespace lockstep::ranks {
namespace {

using model::Leaf;
using model::Stack;
using testing::JobSketch;

const Stack kBarrier = {{"barrier", "torch/distributed/distributed_c10d.py", 5356}, {"main", "train.py", 9}};
const Stack kBackward = {{"_engine_run_backward", "torch/autograd/graph.py", 979}, {"main", "train.py", 7}};
const Stack kWrap = {{"_verify_param_shape_across_processes", "torch/distributed/utils.py", 286},
                     {"DistributedDataParallel.__init__", "torch/nn/parallel/distributed.py", 1064}};
const Stack kJoin = {{"barrier", "torch/distributed/distributed_c10d.py", 5356},
                     {"init_process_group", "torch/distributed/distributed_c10d.py", 1800}};
const Stack kReading = {{"read", "dataset.py", 3}, {"main", "train.py", 5}};

JobSketch job_with(const std::vector<Stack>& stacks) {
  JobSketch sketch(static_cast<int>(stacks.size()));
  for (std::size_t rank = 0; rank < stacks.size(); ++rank) {
    sketch.history(static_cast<int>(rank))
        .snapshots.push_back(
            {.thread_name = "MainThread", .stack = sketch.job.stacks.intern(stacks[rank]), .is_main = true});
  }
  return sketch;
}

TEST(StuckStacks, TheRankThatIsElsewhereIsTheRoot) {
  const auto finding = find_stuck_stacks(job_with({kBackward, kReading, kBackward}).job);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->leaf, Leaf::kPerfHang);
  EXPECT_EQ(finding->root_ranks, std::vector<int>{1});
  EXPECT_EQ(finding->victim_ranks, (std::vector<int>{0, 2}));
}

TEST(StuckStacks, WhereTheOthersWaitTellsThePhase) {
  EXPECT_EQ(find_stuck_stacks(job_with({kWrap, kReading}).job)->leaf, Leaf::kPrepHang);
  EXPECT_EQ(find_stuck_stacks(job_with({kJoin, kReading}).job)->leaf, Leaf::kSetupHang);
}

TEST(StuckStacks, RanksInDifferentCallsBlameNobody) {
  const auto finding = find_stuck_stacks(job_with({kBackward, kBarrier}).job);
  ASSERT_TRUE(finding);
  EXPECT_TRUE(finding->root_ranks.empty());
}

TEST(StuckStacks, RanksInOneCallOrNoneMayBeHealthy) {
  EXPECT_FALSE(find_stuck_stacks(job_with({kBackward, kBackward}).job));
  EXPECT_FALSE(find_stuck_stacks(job_with({kReading, kReading}).job));
  EXPECT_FALSE(find_stuck_stacks(job_with({kBackward}).job));
}

TEST(StuckStacks, MostRanksElsewhereIsAJobAtWork) {
  EXPECT_FALSE(find_stuck_stacks(job_with({kBackward, kReading, kReading, kReading}).job));
}

TEST(StuckStacks, GiveWayToBetterEvidence) {
  JobSketch crashed = job_with({kBackward, kReading});
  crashed.history(1).failures.push_back({.message = "Fatal Python error: Segmentation fault"});
  EXPECT_FALSE(find_stuck_stacks(crashed.job));
}

}  // namespace
}  // namespace lockstep::ranks
