#include "run/watch/slow_cause.h"

#include <gtest/gtest.h>

namespace lockstep::watch {
namespace {

const SlowShares kOthers{.cpu = 0.5, .core_wait = 0.03, .in_calls = 0.4};

TEST(SlowCause, IsWhatTheOthersDoNotWaitFor) {
  EXPECT_EQ(cause_of({.cpu = 0.6, .core_wait = 0.03, .throttled = 0.3}, kOthers), SlowCause::kThrottled);
  EXPECT_EQ(cause_of({.cpu = 0.6, .core_wait = 0.35}, kOthers), SlowCause::kCrowded);
  EXPECT_EQ(cause_of({.cpu = 0.6, .core_wait = 0.03, .disk_wait = 0.2}, kOthers), SlowCause::kDisk);
  EXPECT_EQ(cause_of({.cpu = 0.6, .data_wait = 0.3}, kOthers), SlowCause::kDataLoading);
  EXPECT_EQ(cause_of({.cpu = 0.6, .major_faults_a_second = 400}, kOthers), SlowCause::kSwapping);
  EXPECT_EQ(cause_of({.cpu = 0.9}, kOthers), SlowCause::kMoreWork);
  EXPECT_EQ(cause_of({.cpu = 0.4, .in_calls = 0.1}, kOthers), SlowCause::kSleeps);
}

TEST(SlowCause, OfAHostThatIsCrowdedForAllIsNone) {
  const SlowShares crowded{.cpu = 0.5, .core_wait = 0.4, .in_calls = 0.1};
  EXPECT_EQ(cause_of({.cpu = 0.5, .core_wait = 0.45, .in_calls = 0.05}, crowded), SlowCause::kUnknown);
}

}  // namespace
}  // namespace lockstep::watch
