#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "diagnose/ranks/hang/sparse_evidence.h"
#include "diagnose/ranks/testing/job_sketch.h"

namespace lockstep::ranks {
namespace {

using model::EventState;
using model::Operation;
using testing::JobSketch;

JobSketch standing_at(const std::vector<std::int64_t>& numbers, Operation operation = Operation::kAllReduce) {
  JobSketch sketch(static_cast<int>(numbers.size()));
  for (std::size_t rank = 0; rank < numbers.size(); ++rank) {
    sketch.job.ranks[rank].progress.push_back(
        {.communicator = sketch.world(), .operation = operation, .issued = numbers[rank]});
  }
  return sketch;
}

TEST(LaggingCounter, NamesTheOneThatIsBehind) {
  const JobSketch sketch = standing_at({812, 812, 811, 812});
  const std::vector<LaggingCounter> found = find_lagging_counters(sketch.job);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].behind, std::vector<int>{2});
  EXPECT_EQ(found[0].others_at, 812);
  EXPECT_LT(finding_of(sketch.job, found[0]).confidence, 0.8);
}

TEST(LaggingCounter, SaysNothingWhereNobodyOrMostAreBehind) {
  EXPECT_TRUE(find_lagging_counters(standing_at({7, 7, 7}).job).empty());
  EXPECT_TRUE(find_lagging_counters(standing_at({7, 6, 6, 6}).job).empty());
  EXPECT_TRUE(find_lagging_counters(standing_at({7, 6}).job).empty());
}

TEST(LaggingCounter, TakesIssuedCallsWhereCompletionIsNotTracked) {
  JobSketch sketch(3);
  for (int rank = 0; rank < 3; ++rank) {
    const std::uint64_t calls = rank == 1 ? 4 : 5;
    for (std::uint64_t number = 1; number <= calls; ++number) {
      sketch.call(rank,
                  {.communicator = sketch.world(), .sequence = number, .state = EventState::kUntracked});
    }
  }
  ASSERT_EQ(find_lagging_counters(sketch.job).size(), 1U);
  EXPECT_EQ(find_lagging_counters(sketch.job)[0].behind, std::vector<int>{1});
}

RC_GTEST_PROP(LaggingCounter, AgreesWithCounting, ()) {
  const auto numbers =
      *rc::gen::suchThat(rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(-1, 4)),
                         [](const auto& all) { return !all.empty(); });
  const std::int64_t highest = *std::max_element(numbers.begin(), numbers.end());
  const auto at_highest = std::count(numbers.begin(), numbers.end(), highest);
  const auto behind = static_cast<std::ptrdiff_t>(numbers.size()) - at_highest;
  const bool is_expected = behind > 0 && at_highest >= 2 && at_highest > behind;
  RC_ASSERT(find_lagging_counters(standing_at(numbers).job).empty() == !is_expected);
}

}  // namespace
}  // namespace lockstep::ranks
