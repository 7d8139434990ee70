#include "diagnose/logs/traceback.h"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::logs {
namespace {

std::vector<RaisedException> raised_in(std::string_view text) {
  const LogText log{"job.log", text, std::nullopt};
  return raised_exceptions(std::span(&log, 1));
}

TEST(Traceback, MixedLinesOfTwoRanksAreTwoTracebacks) {
  const auto raised = raised_in(
      "[rank0]:   File \"a.py\", line 1, in f\n"
      "[rank1]:   File \"b.py\", line 2, in g\n"
      "[rank1]:     h(x)\n"
      "[rank0]:     raise KeyError(3)\n"
      "[rank0]: KeyError: 3\n"
      "[rank1]: trainer.StepLost\n");
  ASSERT_EQ(raised.size(), 2U);
  EXPECT_EQ(raised[0].kind, "KeyError");
  EXPECT_EQ(raised[0].message, "3");
  EXPECT_EQ(raised[0].frames.back().path, "a.py");
  EXPECT_EQ(raised[0].frames.back().source, "raise KeyError(3)");
  EXPECT_EQ(raised[1].kind, "trainer.StepLost");
  EXPECT_EQ(raised[1].message, "");
  EXPECT_EQ(raised[1].frames.back().function, "g");
}

TEST(Traceback, APrefixThatNoLauncherIsKnownForSeparatesRanksToo) {
  const auto raised = raised_in(
      "<a#1>   File \"a.py\", line 1, in f\n"
      "<b#2>   File \"b.py\", line 2, in g\n"
      "<b#2> ValueError: second\n"
      "<a#1> ValueError: first\n");
  ASSERT_EQ(raised.size(), 2U);
  EXPECT_EQ(raised[0].message, "second");
  EXPECT_EQ(raised[0].frames.back().path, "b.py");
  EXPECT_EQ(raised[1].frames.back().path, "a.py");
}

TEST(Traceback, ADumpOfStacksRaisesNothing) {
  EXPECT_TRUE(raised_in("  File \"a.py\", line 1 in f\n\nthe next thing\nEpoch: 3\n").empty());
}

TEST(Traceback, AnExceptionWithoutFramesIsNoTraceback) {
  EXPECT_TRUE(raised_in("ValueError: bad sample 17\n").empty());
}

RC_GTEST_PROP(Traceback, AnyTextIsReadAndEveryExceptionLiesInIt, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::elementOf(std::vector<std::string>{"File \"", "a.py", "\", line ", "7", ", in f", "\n", " ",
                                                  "[rank1]: ", "ValueError", ": ", "x", "\r", "\x1b[", "|"}));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  for (const RaisedException& exception : raised_in(text)) {
    RC_ASSERT(exception.at.end <= text.size());
    RC_ASSERT(!exception.frames.empty());
  }
}

}  // namespace
}  // namespace lockstep::logs
