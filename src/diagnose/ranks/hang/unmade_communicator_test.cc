#include "diagnose/ranks/hang/unmade_communicator.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "diagnose/ranks/testing/random_job.h"

namespace lockstep::ranks {
namespace {

using testing::JobSketch;

TEST(UnmadeCommunicator, IsFoundAlsoWhenNothingIsPending) {
  JobSketch sketch(3);
  for (int rank = 0; rank < 3; ++rank) {
    sketch.history(rank).lists_communicators = true;
    if (rank == 2) continue;
    sketch.history(rank).communicators = {sketch.world()};
    sketch.call(rank, {.communicator = sketch.world(), .sequence = 1});
  }
  const auto found = find_unmade_communicators(sketch.job, align(sketch.job));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].without, std::vector<int>{2});
}

TEST(UnmadeCommunicator, AGroupThatNobodyUsedYetIsNotMissed) {
  JobSketch sketch(2);
  sketch.history(0).lists_communicators = sketch.history(1).lists_communicators = true;
  sketch.history(0).communicators = {sketch.world()};
  EXPECT_TRUE(find_unmade_communicators(sketch.job, align(sketch.job)).empty());
}

RC_GTEST_PROP(UnmadeCommunicator, AgreesWithAskingEveryMember, ()) {
  JobSketch sketch = testing::random_job();
  for (model::RankHistory& history : sketch.job.ranks) {
    history.lists_communicators = *rc::gen::arbitrary<bool>();
    if (*rc::gen::arbitrary<bool>()) history.communicators.push_back(sketch.world());
  }
  std::set<std::pair<std::size_t, int>> slow;
  for (std::size_t at = 0; at < sketch.job.communicators.size(); ++at) {
    const auto id = static_cast<model::CommunicatorId>(at);
    const auto uses = [&](const model::RankHistory& history) {
      return std::ranges::any_of(history.events,
                                 [&](const model::Event& event) { return event.communicator == id; });
    };
    if (std::ranges::none_of(sketch.job.ranks, uses)) continue;
    for (const int member : sketch.job.communicators[id].members) {
      const model::RankHistory* history = sketch.job.find_rank(member);
      if (history == nullptr || !history->lists_communicators || uses(*history)) continue;
      if (std::ranges::find(history->communicators, id) == history->communicators.end())
        slow.emplace(at, member);
    }
  }
  std::set<std::pair<std::size_t, int>> fast;
  for (const UnmadeCommunicator& one : find_unmade_communicators(sketch.job, align(sketch.job))) {
    for (const int rank : one.without) fast.emplace(static_cast<std::size_t>(one.communicator), rank);
  }
  RC_ASSERT(fast == slow);
}

}  // namespace
}  // namespace lockstep::ranks
