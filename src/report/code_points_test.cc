#include "report/code_points.h"

#include <gtest/gtest.h>

namespace lockstep::report {
namespace {

TEST(CodePoints, WalkOverUtf8) {
  EXPECT_EQ(first_code_point("漢字"), "漢");
  EXPECT_EQ(code_point_value("a"), U'a');
  EXPECT_EQ(code_point_value("ß"), U'ß');
  EXPECT_EQ(code_point_value("漢"), U'漢');
  EXPECT_EQ(code_point_value("\xF0\x9F\x98\x80"), U'\U0001F600');
  EXPECT_EQ(count_code_points("aß漢"), 3U);
}

TEST(CodePoints, AreNeverCut) {
  EXPECT_EQ(bytes_of_first(2, "aß漢"), 3U);
  EXPECT_EQ(bytes_of_first(9, "aß漢"), 6U);
  EXPECT_EQ(bytes_of_last(2, "aß漢"), 5U);
  EXPECT_EQ(bytes_of_last(9, "aß漢"), 6U);
}

TEST(DisplayWidth, CountsTerminalColumns) {
  EXPECT_EQ(display_width("größe"), 5);
  EXPECT_EQ(display_width("漢字"), 4);
  EXPECT_EQ(display_width("e\xCC\x81"), 1);
}

}  // namespace
}  // namespace lockstep::report
