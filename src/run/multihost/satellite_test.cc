#include "run/multihost/satellite.h"

#include <gtest/gtest.h>

namespace lockstep::multihost {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(ClockLead, IsTheDifferenceInTheMiddleOfTheWay) {
  ClockLead lead;
  lead.take(100, 1150, 200);
  EXPECT_EQ(lead.ns(), 1000);
}

TEST(ClockLead, PrefersQuickAnswers) {
  ClockLead lead;
  lead.take(0, 1005, 10);
  lead.take(100, 9000, 1100);
  EXPECT_EQ(lead.ns(), 1000);
  lead.take(2000, 3010, 2012);
  EXPECT_EQ(lead.ns(), 1004);
}

TEST(ClockLead, BelievesASlowAnswerAfterLong) {
  ClockLead lead;
  lead.take(0, 1005, 10);
  lead.take(70 * kSecond, 70 * kSecond + 500 + 50'000, 70 * kSecond + 1000);
  EXPECT_EQ(lead.ns(), 50'000);
}

TEST(ClockLead, IgnoresAnAnswerBeforeItsQuestion) {
  ClockLead lead;
  lead.take(0, 1005, 10);
  lead.take(500, 700, 400);
  EXPECT_EQ(lead.ns(), 1000);
}

}  // namespace
}  // namespace lockstep::multihost
