#include "run/watch/step_clock.h"

#include <gtest/gtest.h>

namespace lockstep::watch {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(StepClock, TellsTheRateOfTheLastSteps) {
  StepClock clock;
  EXPECT_FALSE(clock.steps_per_second(0));
  for (int i = 1; i <= 100; ++i) clock.end_step(i * kSecond);
  for (int i = 1; i <= 8; ++i) clock.end_step(100 * kSecond + i * kSecond / 4);
  EXPECT_DOUBLE_EQ(*clock.steps_per_second(102 * kSecond), 15.0 / 9) << "half of them were slow";
  for (int i = 9; i <= 16; ++i) clock.end_step(100 * kSecond + i * kSecond / 4);
  EXPECT_EQ(clock.steps(), 116U);
  EXPECT_DOUBLE_EQ(*clock.steps_per_second(104 * kSecond), 4);
  EXPECT_LT(*clock.steps_per_second(204 * kSecond), 0.2) << "it hangs";
}

TEST(StepClock, SlowsOnceAStepIsTwiceAsLong) {
  StepClock clock;
  clock.end_step(0);
  clock.end_step(kSecond);
  EXPECT_DOUBLE_EQ(*clock.steps_per_second(3 * kSecond), 1);
  EXPECT_LT(*clock.steps_per_second(3 * kSecond + 1), 0.5);
}

TEST(TimeShare, CountsOverlappingIntervalsOnce) {
  TimeShare share;
  share.add(100 * kSecond, 100 * kSecond);  // the window begins
  share.add(101 * kSecond, 103 * kSecond);
  share.add(102 * kSecond, 104 * kSecond);
  EXPECT_DOUBLE_EQ(*share.share(106 * kSecond, std::nullopt), 0.5);
}

TEST(TimeShare, CountsWhatHasNotEnded) {
  TimeShare share;
  share.add(100 * kSecond, 100 * kSecond);
  EXPECT_DOUBLE_EQ(*share.share(104 * kSecond, 103 * kSecond), 0.25);
  EXPECT_DOUBLE_EQ(*share.share(200 * kSecond, 103 * kSecond), 1) << "a wait of minutes";
}

TEST(TimeShare, ForgetsWhatWasLongAgo) {
  TimeShare share;
  share.add(100 * kSecond, 100 * kSecond);
  share.add(100 * kSecond, 105 * kSecond);
  EXPECT_DOUBLE_EQ(*share.share(110 * kSecond, std::nullopt), 0.5);
  EXPECT_DOUBLE_EQ(*share.share(111 * kSecond, std::nullopt), 0) << "windows of five seconds, two at most";
}

}  // namespace
}  // namespace lockstep::watch
