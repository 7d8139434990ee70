#include "replay/request.h"

#include <gtest/gtest.h>

namespace lockstep::replay {
namespace {

TEST(Breakpoint, IsAStepAndACollective) {
  const auto any = parse_breakpoint("12:all_reduce");
  ASSERT_TRUE(any.ok());
  EXPECT_EQ(any.value(), (Breakpoint{.step = 12, .operation = model::Operation::kAllReduce}));
  EXPECT_EQ(for_recorder(any.value()), "12:1:0");
  EXPECT_EQ(in_words(any.value()), "the first all_reduce of step 12");
}

TEST(Breakpoint, MayNameTheNumber) {
  const auto numbered = parse_breakpoint("12:all_reduce#17");
  ASSERT_TRUE(numbered.ok());
  EXPECT_EQ(for_recorder(numbered.value()), "12:1:17");
  EXPECT_EQ(in_words(numbered.value()), "all_reduce 17 of step 12");
  const auto bare = parse_breakpoint("12:17");
  ASSERT_TRUE(bare.ok());
  EXPECT_EQ(for_recorder(bare.value()), "12:0:17");
}

TEST(Breakpoint, IsRefusedWithTheReason) {
  EXPECT_EQ(parse_breakpoint("12").error().why, "it names no collective");
  EXPECT_EQ(parse_breakpoint("0:all_reduce").error().why, "not a step");
  EXPECT_EQ(parse_breakpoint("x:all_reduce").error().why, "not a step");
  EXPECT_EQ(parse_breakpoint("1:allreduce").error().why, "no such collective");
  EXPECT_EQ(parse_breakpoint("1:all_reduce#x").error().why, "not a number behind '#'");
  EXPECT_EQ(parse_breakpoint("1:unknown").error().why, "no such collective");
}

}  // namespace
}  // namespace lockstep::replay
