#include "report/html/rank_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/ranks/testing/job_sketch.h"

namespace lockstep::html {
namespace {

using ::testing::ElementsAre;

void add_step(ranks::testing::JobSketch& sketch, int rank, std::uint64_t number, std::int64_t milliseconds) {
  model::Event event;
  event.kind = model::EventKind::kActivity;
  event.activity = model::Activity::kStep;
  event.sequence = number;
  event.begin_ns = static_cast<std::int64_t>(number) * 1'000'000'000;
  event.end_ns = event.begin_ns + milliseconds * 1'000'000;
  sketch.history(rank).events.push_back(event);
}

TEST(StepTimes, EachStepOfEachRankOnOneScale) {
  ranks::testing::JobSketch sketch(2);
  add_step(sketch, 0, 3, 10);
  add_step(sketch, 0, 5, 30);
  add_step(sketch, 1, 4, 20);
  const auto times = step_times_of(sketch.job, 100);
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0].first_step, 3U);
  EXPECT_THAT(times[0].milliseconds, ElementsAre(10, -1, 30));
  EXPECT_THAT(times[1].milliseconds, ElementsAre(-1, 20));
}

TEST(StepTimes, ManyStepsBecomeMeans) {
  ranks::testing::JobSketch sketch(1);
  for (std::uint64_t step = 0; step < 100; ++step) add_step(sketch, 0, step, step % 2 == 0 ? 10 : 20);
  const auto times = step_times_of(sketch.job, 10);
  ASSERT_EQ(times.size(), 1U);
  EXPECT_EQ(times[0].steps_each, 10U);
  EXPECT_THAT(times[0].milliseconds, ::testing::Each(15));
  EXPECT_EQ(times[0].milliseconds.size(), 10U);
}

TEST(StepTimes, ANumberOutOfAllProportionTakesNoMemory) {
  ranks::testing::JobSketch sketch(1);
  add_step(sketch, 0, 1, 10);
  add_step(sketch, 0, model::kNoSequence - 1, 10);
  sketch.history(0).events.back().begin_ns = 0;
  sketch.history(0).events.back().end_ns = 0;
  EXPECT_LE(step_times_of(sketch.job, 10)[0].milliseconds.size(), 10U);
}

}  // namespace
}  // namespace lockstep::html
