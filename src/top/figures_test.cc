#include "top/figures.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::top {
namespace {

constexpr std::int64_t kOneSecondNs = 1'000'000'000;

TEST(Figures, TimesAreShortAtEverySize) {
  EXPECT_EQ(short_time(0), "0us");
  EXPECT_EQ(short_time(15'999), "15us");
  EXPECT_EQ(short_time(812'000'000), "812ms");
  EXPECT_EQ(short_time(3'200'000'000), "3.2s");
  EXPECT_EQ(short_time(9'960'000'000), "9s");
  EXPECT_EQ(short_time(250 * kOneSecondNs), "4m10s");
  EXPECT_EQ(short_time(7'380 * kOneSecondNs), "2h03m");
  EXPECT_EQ(short_time(9 * 86'400 * kOneSecondNs + 4 * 3'600 * kOneSecondNs), "9d04h");
  EXPECT_EQ(short_time(-5), "0us");
}

RC_GTEST_PROP(Figures, NoTimeIsWiderThanItsColumn, (std::int64_t ns)) {
  RC_ASSERT(short_time(ns).size() <= 7U);
  RC_ASSERT(short_time(ns % (99 * 86'400 * kOneSecondNs)).size() <= 6U);
}

TEST(Figures, Rates) {
  EXPECT_EQ(short_rate(0), "0");
  EXPECT_EQ(short_rate(0.08), "0.08");
  EXPECT_EQ(short_rate(12.44), "12.4");
  EXPECT_EQ(short_rate(1240), "1240");
  EXPECT_EQ(short_rate(2.5e6), "2500k");
  EXPECT_EQ(short_rate(std::numeric_limits<double>::quiet_NaN()), "-");
}

TEST(Figures, SharesStayBetweenNothingAndAll) {
  EXPECT_EQ(short_share(0.384), "38%");
  EXPECT_EQ(short_share(7), "100%");
  EXPECT_EQ(short_share(-1), "0%");
  EXPECT_EQ(short_share(NAN), "-");
}

TEST(Figures, LongNumbersAreGrouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'024), "1,024");
  EXPECT_EQ(grouped(1'234'567), "1,234,567");
}

}  // namespace
}  // namespace lockstep::top
