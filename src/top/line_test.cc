#include "top/line.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/escape.h"
#include "report/lines.h"

namespace lockstep::top {
namespace {

TEST(Fit, WhatIsCutSaysSo) {
  EXPECT_EQ(cut("all_reduce", 10), "all_reduce");
  EXPECT_EQ(cut("all_reduce", 4), "all…");
  EXPECT_EQ(cut("all_reduce", 0), "");
  EXPECT_EQ(cut("数据加载", 6), "数据…");
  EXPECT_EQ(right_aligned("7", 3), "  7");
  EXPECT_EQ(left_aligned("数据", 5), "数据 ");
}

RC_GTEST_PROP(Fit, AnyTextFillsItsColumnsExactly, (const std::string& bytes)) {
  const std::string text = base::escape_for_terminal(bytes);
  const int columns = *rc::gen::inRange(1, 30);
  RC_ASSERT(report::display_width(left_aligned(text, columns)) == columns);
  RC_ASSERT(report::display_width(right_aligned(text, columns)) == columns);
}

TEST(Line, IsCutAcrossItsPieces) {
  const Line line = Line("rank ").add("512", Ink::kAlarm).add(" is late");
  EXPECT_EQ(line.width(), 16);
  EXPECT_EQ(line.plain(80), "rank 512 is late");
  EXPECT_EQ(line.plain(10), "rank 512 …");
  EXPECT_EQ(line.plain(7), "rank 5…");
}

TEST(Line, ColoursAreReset) {
  EXPECT_EQ(Line("a").add("b", Ink::kAlarm).painted(2, true), "a\x1b[1;31mb\x1b[0m");
}

TEST(Line, ShorterThanTheScreenItWipesTheRest) {
  EXPECT_EQ(Line("a").painted(2, true), "a\x1b[K");
}

TEST(Line, WithoutColoursNoneIsSent) {
  const std::string painted =
      Line("a", Ink::kGood).add("b", Ink::kWarning).add("c", Ink::kAlarm).painted(3, false);
  EXPECT_EQ(painted, "ab\x1b[1mc\x1b[0m");
}

TEST(Line, ASelectedOneIsReverseToTheEdge) {
  Line line("ab");
  line.select();
  EXPECT_EQ(line.painted(4, false), "\x1b[7mab\x1b[0m\x1b[7m  \x1b[0m");
}

}  // namespace
}  // namespace lockstep::top
