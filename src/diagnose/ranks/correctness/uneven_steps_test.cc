#include "diagnose/ranks/correctness/uneven_steps.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "diagnose/ranks/testing/job_sketch.h"
#include "diagnose/ranks/testing/relabel.h"

namespace lockstep::ranks {
namespace {

using model::EventState;
using testing::JobSketch;

void add_step(JobSketch& sketch, int rank, std::uint64_t number, EventState state) {
  model::Event step;
  step.kind = model::EventKind::kActivity;
  step.activity = model::Activity::kStep;
  step.state = state;
  step.sequence = number;
  sketch.history(rank).events.push_back(step);
}

// A rank does so many steps with one collective each; one who waits is stuck in the next.
void run(JobSketch& sketch, int rank, std::uint64_t steps, bool waits, bool records_steps = true) {
  for (std::uint64_t step = 1; step <= steps + (waits ? 1 : 0); ++step) {
    const bool is_stuck = step > steps;
    if (records_steps) {
      add_step(sketch, rank, step, is_stuck ? EventState::kStarted : EventState::kCompleted);
    }
    sketch.call(rank, {.communicator = sketch.world(),
                       .sequence = step,
                       .state = is_stuck ? EventState::kStarted : EventState::kCompleted});
  }
}

std::optional<UnevenSteps> uneven(const model::Job& job) {
  return find_uneven_steps(job, align(job));
}

TEST(UnevenSteps, TellsWhoEndedEarly) {
  JobSketch sketch(4);
  for (const int rank : {0, 1, 3}) run(sketch, rank, 5, true);
  run(sketch, 2, 5, false);
  sketch.history(2).rank.end = model::RankEnd::kClean;
  const auto found = uneven(sketch.job);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->ended_early, std::vector{2});
  EXPECT_EQ(found->waiting, (std::vector{0, 1, 3}));
  EXPECT_EQ(found->steps_of_early, 5U);
  EXPECT_EQ(found->steps_of_waiting, 6U);
  EXPECT_TRUE(found->counts_steps);
  EXPECT_EQ(found->counts[2].ending, Ending::kSaidGoodbye);
}

TEST(UnevenSteps, CountsCollectivesWhereStepsAreNotRecorded) {
  JobSketch sketch(3);
  run(sketch, 0, 7, true, false);
  run(sketch, 1, 7, true, false);
  run(sketch, 2, 7, false, false);
  EXPECT_FALSE(uneven(sketch.job)) << "it may be busy";
  sketch.history(2).rank.end = model::RankEnd::kClean;
  const auto found = uneven(sketch.job);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->counts_steps);
  EXPECT_EQ(found->steps_of_early, 7U);
}

TEST(UnevenSteps, TakesACompletedLastStepForAnEnd) {
  JobSketch sketch(2);
  run(sketch, 0, 3, true);
  run(sketch, 1, 3, false);
  const auto found = uneven(sketch.job);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->counts[1].ending, Ending::kFellSilent);
}

TEST(UnevenSteps, ComparesNumbersWhereTheRingWrapped) {
  JobSketch sketch(2);
  run(sketch, 0, 9, true);
  run(sketch, 1, 9, false);
  std::vector<model::Event>& events = sketch.history(0).events;
  events.erase(events.begin(), events.begin() + 12);  // fewer are left than rank 1 has
  sketch.history(0).begins_at_start = false;
  const auto found = uneven(sketch.job);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->ended_early, std::vector{1});
  EXPECT_EQ(found->steps_of_waiting, 10U);
}

TEST(UnevenSteps, IsSilentForHealthyAndForCrashedJobs) {
  JobSketch healthy(3);
  for (int rank = 0; rank < 3; ++rank) run(healthy, rank, 5, false);
  EXPECT_FALSE(uneven(healthy.job));
  JobSketch all_wait(3);
  for (int rank = 0; rank < 3; ++rank) run(all_wait, rank, 5, true);
  EXPECT_FALSE(uneven(all_wait.job));
  JobSketch crashed(2);
  run(crashed, 0, 5, true);
  run(crashed, 1, 5, false);
  crashed.history(1).rank.end = model::RankEnd::kSignalled;
  EXPECT_FALSE(uneven(crashed.job));
  EXPECT_FALSE(uneven(model::Job{}));
}

// The obvious way, from how the job was made.
RC_GTEST_PROP(UnevenSteps, AgreesWithHowTheJobWasMade, ()) {
  const int ranks = *rc::gen::inRange(2, 6);
  JobSketch sketch(ranks);
  std::vector<std::uint64_t> begun;
  std::vector<bool> waits;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto steps = *rc::gen::inRange<std::uint64_t>(1, 5);
    waits.push_back(*rc::gen::arbitrary<bool>());
    begun.push_back(steps + (waits.back() ? 1 : 0));
    run(sketch, rank, steps, waits.back());
  }
  std::uint64_t most = 0;
  for (std::size_t at = 0; at < waits.size(); ++at) most = waits[at] ? std::max(most, begun[at]) : most;
  std::vector<int> early;
  for (std::size_t at = 0; at < waits.size(); ++at) {
    if (!waits[at] && begun[at] < most) early.push_back(static_cast<int>(at));
  }
  const auto found = uneven(sketch.job);
  RC_ASSERT(found.has_value() == !early.empty());
  if (found) RC_ASSERT(found->ended_early == early);

  const std::vector<int> numbers = testing::other_numbers(ranks, *rc::gen::inRange(0U, 1000U));
  const auto there = uneven(testing::relabel(sketch.job, numbers, 1));
  RC_ASSERT(there.has_value() == found.has_value());
  if (found) RC_ASSERT(there->ended_early == testing::renumbered(early, numbers));
}

}  // namespace
}  // namespace lockstep::ranks
