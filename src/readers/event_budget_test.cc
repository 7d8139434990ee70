#include "readers/event_budget.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::readers {
namespace {

using Counts = std::vector<std::uint64_t>;

std::uint64_t kept(const Counts& counts, std::uint64_t most) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0},
                         [&](std::uint64_t sum, std::uint64_t count) { return sum + std::min(count, most); });
}

Counts some_counts() {
  return *rc::gen::container<Counts>(rc::gen::inRange<std::uint64_t>(0, 1000));
}

TEST(EventBudget, CutsTheLongestRanksFirst) {
  EXPECT_EQ(events_per_rank({100}, {10, 200, 60}), 45U);
  EXPECT_EQ(events_per_rank({270}, {10, 200, 60}), std::numeric_limits<std::uint64_t>::max());
}

RC_GTEST_PROP(EventBudget, NeverExceedsTheBudgetNorLeavesRoomForOneMoreEach, ()) {
  const Counts counts = some_counts();
  const EventBudget budget{*rc::gen::inRange<std::uint64_t>(0, 20000)};
  const std::uint64_t most = events_per_rank(budget, counts);
  RC_ASSERT(kept(counts, most) <= budget.most_events);
  if (kept(counts, most) < kept(counts, 1000)) RC_ASSERT(kept(counts, most + 1) > budget.most_events);
}

RC_GTEST_PROP(EventBudget, NeverRisesWhenARankIsAdded, ()) {
  Counts counts = some_counts();
  const EventBudget budget{*rc::gen::inRange<std::uint64_t>(0, 20000)};
  const std::uint64_t before = events_per_rank(budget, counts);
  counts.push_back(*rc::gen::inRange<std::uint64_t>(0, 1000));
  RC_ASSERT(events_per_rank(budget, counts) <= before);
}

}  // namespace
}  // namespace lockstep::readers
