#include "service/clock.h"

#include <gtest/gtest.h>

#include "service/testing/fakes.h"

namespace lockstep::service {
namespace {

using std::chrono::milliseconds;

TEST(IntervalTest, IsDueAtFirstAndThenWhenItHasPassed) {
  FakeClock clock;
  Interval interval(milliseconds(1000));
  EXPECT_TRUE(interval.is_due(clock.now()));
  EXPECT_FALSE(interval.is_due(clock.now()));
  clock.advance(milliseconds(999));
  EXPECT_FALSE(interval.is_due(clock.now()));
  clock.advance(milliseconds(1));
  EXPECT_TRUE(interval.is_due(clock.now()));
  EXPECT_FALSE(interval.is_due(clock.now())) << "the next one has begun";
}

TEST(IntervalTest, CanBeOfAnotherLengthOnce) {
  FakeClock clock;
  Interval interval(milliseconds(1000));
  interval.begin(clock.now(), milliseconds(10));
  clock.advance(milliseconds(10));
  EXPECT_TRUE(interval.is_over(clock.now()));
  EXPECT_TRUE(interval.is_over(clock.now())) << "to ask changes nothing";
}

}  // namespace
}  // namespace lockstep::service
