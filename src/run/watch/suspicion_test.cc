#include "run/watch/suspicion.h"

#include <gtest/gtest.h>

namespace lockstep::watch {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;

WaitHistory waits_of(int count, std::int64_t wait_ns) {
  WaitHistory waits;
  for (int i = 0; i < count; ++i) waits.add(wait_ns);
  return waits;
}

TEST(Patience, IsShortWithOneWhoCannotCome) {
  EXPECT_EQ(patience_ns(MissingRankState::kLost, waits_of(0, 0)), 3 * kSecondNs / 10);
  EXPECT_EQ(patience_ns(MissingRankState::kInACall, waits_of(0, 0)), kSecondNs / 2);
}

TEST(Patience, IsLongWhileAJobIsNotKnown) {
  EXPECT_EQ(patience_ns(MissingRankState::kIdle, waits_of(3, 0)), 30 * kSecondNs);
  EXPECT_EQ(patience_ns(MissingRankState::kIdle, waits_of(19, 0)), 30 * kSecondNs);
  EXPECT_EQ(patience_ns(MissingRankState::kIdle, waits_of(20, 0)), 21 * kSecondNs);
}

TEST(Patience, GrowsWithWhatIsUsualInTheJob) {
  EXPECT_EQ(patience_ns(MissingRankState::kIdle, waits_of(50, 15 * kSecondNs)), 30 * kSecondNs);
  EXPECT_EQ(patience_ns(MissingRankState::kExcused, waits_of(50, 90 * kSecondNs)), 180 * kSecondNs);
}

TEST(DoesNothing, IsMeasuredByOneWhoWaits) {
  EXPECT_TRUE(does_nothing(0.049, 0));
  EXPECT_FALSE(does_nothing(0.051, 0));
  EXPECT_TRUE(does_nothing(0.169, 0.08)) << "as much as a thread that looks after connections takes";
  EXPECT_FALSE(does_nothing(0.171, 0.08));
  EXPECT_TRUE(does_nothing(0.10, 0.15));
  EXPECT_FALSE(does_nothing(0.10, 0.16)) << "one who spins while it waits tells nothing";
  EXPECT_FALSE(does_nothing(1.00, 1.00)) << "one who spins while it waits tells nothing";
}

TEST(Patience, OutlastsAPause) {
  const WaitHistory waits = waits_of(50, 0);
  EXPECT_GT(patience_ns(MissingRankState::kIdle, waits), 20 * kSecondNs);
  EXPECT_GT(patience_ns(MissingRankState::kBusy, waits), 20 * kSecondNs);
  EXPECT_EQ(patience_ns(MissingRankState::kExcused, waits), 120 * kSecondNs);
}

}  // namespace
}  // namespace lockstep::watch
