#include "diagnose/ranks/correctness/lone_steps.h"

#include <gtest/gtest.h>

#include "diagnose/ranks/testing/job_sketch.h"

namespace lockstep::ranks {
namespace {

using testing::JobSketch;

void meet(JobSketch& sketch, int rank, std::uint64_t number) {
  sketch.call(rank, {.communicator = sketch.world(), .sequence = number});
}

struct Story {
  bool meets_before = true;
  std::uint64_t steps = 40;
  std::uint64_t meets_in_step = 0;  // 0: never
  bool meets_behind = true;
};

JobSketch tell(const Story& builder) {
  JobSketch sketch(3);
  for (int rank = 0; rank < 3; ++rank) {
    if (builder.meets_before) meet(sketch, rank, 1);
    for (std::uint64_t step = 1; step <= builder.steps; ++step) {
      if (step == builder.meets_in_step) meet(sketch, rank, 2);
      sketch.end_step(rank, step);
    }
    if (builder.meets_behind) meet(sketch, rank, 3);
  }
  return sketch;
}

TEST(LoneSteps, FindsRanksThatNeverAverage) {
  const auto found = find_lone_steps(tell({}).job);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->leaf, model::Leaf::kPerfParallel);
  EXPECT_EQ(found->title, "ranks 0-2 trained 40 steps without exchanging anything");
  EXPECT_EQ(found->evidence.size(), 2U);
  ASSERT_FALSE(found->fixes.empty());
  EXPECT_EQ(found->fixes.front().pattern, model::FixPattern::kDistributedApiUsage);
}

TEST(LoneSteps, OneExchangeAmongTheStepsIsEnoughForSilence) {
  EXPECT_FALSE(find_lone_steps(tell({.meets_in_step = 39}).job));
}

TEST(LoneSteps, AFewStepsSayNothing) {
  EXPECT_FALSE(find_lone_steps(tell({.steps = 19}).job));
}

TEST(LoneSteps, SilenceFromTheStartMayBeTheRecorders) {
  EXPECT_FALSE(find_lone_steps(tell({.meets_before = false}).job));
}

TEST(LoneSteps, ARankThatWasNotSeenMayHaveHeardTheOthers) {
  JobSketch sketch = tell({});
  sketch.forget(1);
  EXPECT_FALSE(find_lone_steps(sketch.job));
}

}  // namespace
}  // namespace lockstep::ranks
