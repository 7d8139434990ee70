#include "diagnose/ranks/timing/wait_clock.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::ranks {
namespace {

struct Call {
  int begin;
  int end;
};

// The obvious way, one moment after the other: a rank waits at a moment that lies in a call, unless it begins
// another call later in the same unbroken stretch of calls.
int slow_wait(const std::vector<Call>& calls, int until) {
  int waited = 0;
  for (int moment = 0; moment < until; ++moment) {
    int covered_until = 0;
    bool begins_later = false;
    for (const Call& call : calls) {
      if (call.begin > moment) {
        begins_later = begins_later || call.begin < covered_until;
      } else if (call.end > moment) {
        covered_until = std::max(covered_until, call.end);
      }
    }
    if (covered_until > moment && !begins_later) ++waited;
  }
  return waited;
}

RC_GTEST_PROP(WaitClock, AgreesWithTheObviousWay, ()) {
  std::vector<Call> calls;
  WaitClock clock;
  int now = 0;
  for (const auto& [pause, length] : *rc::gen::container<std::vector<std::pair<int, int>>>(
           rc::gen::pair(rc::gen::inRange(0, 20), rc::gen::inRange(0, 30)))) {
    now += pause;
    calls.push_back({now, now + length});
    clock.work_at(now);
    clock.wait_until(now + length);
  }
  const int end = now + 100;
  clock.work_at(end);
  RC_ASSERT(static_cast<int>(clock.waited_ns()) == slow_wait(calls, end));
}

TEST(WaitClock, DoesNotCountWhatWasOverlappedWithWork) {
  WaitClock clock;
  clock.work_at(10);
  clock.wait_until(100);
  clock.work_at(60);  // issued while the first was under way
  clock.wait_until(110);
  clock.work_at(200);
  EXPECT_EQ(clock.waited_ns(), 50);
}

TEST(WaitClock, CountsDurationsWholeWhereNothingElseIsKnown) {
  WaitClock clock;
  clock.wait_for(30);
  clock.wait_for(12);
  EXPECT_EQ(clock.waited_ns(), 42);
}

}  // namespace
}  // namespace lockstep::ranks
