#include "readers/line_origin.h"

#include <gtest/gtest.h>

namespace lockstep::readers {
namespace {

void expect_split(std::string_view line, LineOrigin origin, std::string_view text) {
  const OwnedLine owned = split_origin(line);
  EXPECT_EQ(owned.origin, origin) << line;
  EXPECT_EQ(owned.text, text) << line;
}

TEST(LineOrigin, EveryLauncherPutsItDifferently) {
  expect_split("[rank3]: Traceback", {.rank = 3, .local_rank = {}}, "Traceback");
  expect_split("[default1]:Thread 0x1", {.rank = {}, .local_rank = 1}, "Thread 0x1");
  expect_split("[1,12]<stderr>:Thread", {.rank = 12, .local_rank = {}}, "Thread");
  expect_split("[7]<stdout>:Thread", {.rank = 7, .local_rank = {}}, "Thread");
  expect_split("3: Thread", {.rank = 3, .local_rank = {}}, "Thread");
  expect_split(" 3: Thread", {.rank = 3, .local_rank = {}}, "Thread");
}

TEST(LineOrigin, KeepsTheIndentationOfTheText) {
  expect_split("[default1]:[rank5]:   File \"a\"", {.rank = 5, .local_rank = 1}, "  File \"a\"");
  expect_split("[default1]:  File \"a\"", {.rank = {}, .local_rank = 1}, "  File \"a\"");
  expect_split("0:   File \"a\"", {.rank = 0, .local_rank = {}}, "  File \"a\"");
}

TEST(LineOrigin, LeavesOtherLinesAlone) {
  for (const std::string_view line :
       {"", "[", "[]:", "[3]:", "[rank]: x", "[rank3] x", "[rank99999999999]: x", "12:30:11 step",
        "  File \"a\"", "[2026-11-15 12:29:11]: x", "[1]:", "3:x", "-3: x"}) {
    expect_split(line, {}, line);
  }
}

}  // namespace
}  // namespace lockstep::readers
