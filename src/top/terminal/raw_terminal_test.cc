#include "top/terminal/raw_terminal.h"

#include <gtest/gtest.h>

namespace lockstep::top {
namespace {

TEST(Redraw, OnlyChangedLinesAreSent) {
  Redraw redraw;
  EXPECT_EQ(redraw.update({"a", "b"}), "\x1b[0m\x1b[2J\x1b[1;1Ha\x1b[2;1Hb");
  EXPECT_EQ(redraw.update({"a", "c"}), "\x1b[2;1Hc");
  EXPECT_EQ(redraw.update({"a", "c"}), "");
}

TEST(Redraw, EverythingIsSentAgainAfterAnotherSizeOrWhenForgotten) {
  Redraw redraw;
  redraw.update({"a", "b"});
  EXPECT_EQ(redraw.update({"a"}), "\x1b[0m\x1b[2J\x1b[1;1Ha");
  redraw.forget();
  EXPECT_EQ(redraw.update({"a"}), "\x1b[0m\x1b[2J\x1b[1;1Ha");
}

}  // namespace
}  // namespace lockstep::top
