#include "top/rows/waits.h"

#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "top/testing/snapshots.h"

namespace lockstep::top {
namespace {

using testing::healthy_job;
using testing::job_that_waits_for;
using testing::kSecond;

void wait(watch::Snapshot& job, int rank, std::vector<int> others) {
  watch::RankView& view = job.ranks[static_cast<std::size_t>(rank)];
  view.state = watch::RankState::kWaiting;
  view.doing = "recv";
  view.for_ns = 2 * kSecond;
  view.waits_for = std::move(others);
}

TEST(Waits, ThoseWhoWaitStandBelowTheOneTheyWaitFor) {
  const watch::Snapshot job = job_that_waits_for(1, 4);
  const std::vector<WaitNode> tree = wait_tree(job);
  ASSERT_EQ(tree.size(), 2U);
  EXPECT_EQ(tree[0].ranks, std::vector{1});
  EXPECT_EQ(tree[0].depth, 0);
  EXPECT_EQ(tree[1].ranks, (std::vector{0, 2, 3}));
  EXPECT_EQ(tree[1].depth, 1);
}

TEST(Waits, ACircleIsEnteredOnceAndCalledSo) {
  watch::Snapshot job = healthy_job(4);
  wait(job, 0, {1});
  wait(job, 1, {2});
  wait(job, 2, {0});
  const std::vector<WaitNode> tree = wait_tree(job);
  ASSERT_EQ(tree.size(), 3U);
  EXPECT_TRUE(tree[0].is_circle);
  EXPECT_FALSE(tree[1].is_circle);
  EXPECT_EQ(tree[2].depth, 2);
}

TEST(Waits, ARankThatLeftNothingIsNamed) {
  watch::Snapshot job = healthy_job(2);
  wait(job, 0, {7});
  const std::vector<WaitNode> tree = wait_tree(job);
  ASSERT_EQ(tree.size(), 2U);
  EXPECT_EQ(tree[0].ranks, std::vector{7});
  EXPECT_EQ(tree[0].view, nullptr);
}

TEST(Waits, AChainAsLongAsTheJobIsFollowed) {
  watch::Snapshot job = healthy_job(50'000);
  for (int rank = 0; rank + 1 < 50'000; ++rank) wait(job, rank, {rank + 1});
  const std::vector<WaitNode> tree = wait_tree(job);
  EXPECT_EQ(tree.size(), 50'000U);
  EXPECT_EQ(tree.back().depth, 49'999);
}

RC_GTEST_PROP(Waits, EveryRankThatWaitsOrIsWaitedForStandsInOneNode, ()) {
  const int count = *rc::gen::inRange(1, 12);
  watch::Snapshot job = healthy_job(count);
  std::set<int> expected;
  for (int rank = 0; rank < count; ++rank) {
    const auto drawn = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, count + 1));
    const std::set<int> others(drawn.begin(), drawn.end());
    if (others.empty()) continue;
    wait(job, rank, {others.begin(), others.end()});
    expected.insert(rank);
    expected.insert(others.begin(), others.end());
  }
  std::multiset<int> shown;
  for (const WaitNode& node : wait_tree(job)) shown.insert(node.ranks.begin(), node.ranks.end());
  RC_ASSERT(shown == std::multiset<int>(expected.begin(), expected.end()));
}

}  // namespace
}  // namespace lockstep::top
