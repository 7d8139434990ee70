#include "diagnose/arbitrate/interruption.h"

#include <gtest/gtest.h>

namespace lockstep::diagnose {
namespace {

using model::Finding;
using model::Leaf;

Finding finding(Leaf leaf, const std::string& code, const std::string& file = "rank_0.lockstep") {
  Finding one;
  one.leaf = leaf;
  one.code = code;
  one.evidence.push_back({.file = file, .line = 1, .rank = 0, .text = ""});
  return one;
}

TEST(Interruption, IsTakenOutOfWhatWasSeen) {
  std::vector<Finding> seen = {finding(Leaf::kPerfSlow, "straggler.rank"),
                               finding(Leaf::kPerfOther, "sched.interrupted")};
  EXPECT_EQ(take_interruption(seen)->code, "sched.interrupted");
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen.front().code, "straggler.rank");
  EXPECT_FALSE(take_interruption(seen));
}

TEST(Interruption, LeavesWaitsThatAreNoFaultAndFaultsThatAre) {
  std::vector<Finding> found = {
      finding(Leaf::kPerfHang, "desync.stuck_in_collective"), finding(Leaf::kRunComm, "desync.dead_rank"),
      finding(Leaf::kRunOther, "process.ended"), finding(Leaf::kPerfSlow, "straggler.rank")};
  drop_what_the_end_left(found);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().code, "straggler.rank");
}

TEST(Interruption, RanksThatWentWhenTheLauncherWasToldToEndAreNoFault) {
  std::vector<Finding> printed = {finding(Leaf::kPerfOther, "sched.death_signal")};
  std::vector<Finding> ranks = {finding(Leaf::kRunComm, "desync.dead_rank"),
                                finding(Leaf::kPerfHang, "desync.stuck_in_collective")};
  fold_into_the_signal(ranks, false, printed);
  EXPECT_TRUE(ranks.empty());
  EXPECT_GT(printed.front().confidence, 0.5);
}

TEST(Interruption, AHangThatWasSeenStaysWhenTheLauncherIsToldToEnd) {
  std::vector<Finding> printed = {finding(Leaf::kPerfOther, "sched.death_signal")};
  std::vector<Finding> ranks = {finding(Leaf::kPerfHang, "desync.missing_rank")};
  fold_into_the_signal(ranks, true, printed);
  EXPECT_EQ(ranks.size(), 1U);
  std::vector<Finding> stacks = {finding(Leaf::kPerfHang, "desync.missing_rank", "rank_1.txt")};
  fold_into_the_signal(stacks, false, printed);
  EXPECT_EQ(stacks.size(), 1U) << "who takes stacks has seen it hang";
}

}  // namespace
}  // namespace lockstep::diagnose
