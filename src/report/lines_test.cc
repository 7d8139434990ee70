#include "report/lines.h"

#include <rapidcheck.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/escape.h"

namespace lockstep::report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

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

TEST(EscapedLines, SplitsAtNewlinesAndEscapesTheRest) {
  EXPECT_THAT(escaped_lines("a\r\n\tb\n\nc\n"), ElementsAre("a", "\\tb", "", "c"));
  EXPECT_THAT(escaped_lines(""), ElementsAre(""));
}

TEST(Wrap, BreaksAtSpaces) {
  EXPECT_THAT(wrap("one two three", 8), ElementsAre("one two", "three"));
  EXPECT_THAT(wrap("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrap("", 8), ElementsAre(""));
}

TEST(Wrap, KeepsTheIndentOfTheFirstRowOnly) {
  EXPECT_THAT(wrap("    one two", 8), ElementsAre("    one", "two"));
}

TEST(Wrap, SplitsAWordThatDoesNotFit) {
  EXPECT_THAT(wrap("abcdefghij k", 4), ElementsAre("abcd", "efgh", "ij k"));
}

TEST(Wrap, CountsWideCharactersTwice) {
  EXPECT_THAT(wrap("漢字漢字", 4), ElementsAre("漢字", "漢字"));
  EXPECT_THAT(wrap("漢", 1), ElementsAre("漢"));
  EXPECT_THAT(wrap("d9漢", 2), ElementsAre("d9", "漢"));
}

TEST(Wrap, FitsAndLosesNothingButSpaces) {
  EXPECT_TRUE(rc::check("any bytes, any width", [](const std::string& bytes) {
    const int width = *rc::gen::inRange(1, 100);
    const std::string line = base::escape_for_terminal(bytes);
    std::string together;
    for (const std::string& row : wrap(line, width)) {
      RC_ASSERT(display_width(row) <= std::max(width, 2));
      together += row;
    }
    std::string expected = line;
    std::erase(expected, ' ');
    std::erase(together, ' ');
    RC_ASSERT(together == expected);
  }));
}

TEST(Excerpt, KeepsShortTextWhole) {
  EXPECT_THAT(excerpt("a\nb\n"), ElementsAre("a", "b"));
  EXPECT_THAT(excerpt(""), IsEmpty());
}

TEST(Excerpt, CountsWhatItLeavesOut) {
  EXPECT_THAT(excerpt(std::string(5000, 'x')),
              ElementsAre(std::string(400, 'x'), "… 4400 characters left out …", std::string(200, 'x')));
}

TEST(Excerpt, KeepsTheLastLinesOfATraceback) {
  std::string traceback = "Traceback (most recent call last):\n";
  for (int i = 0; i < 40; ++i) traceback += "  frame\n";
  const auto lines = excerpt(traceback + "ValueError: no");
  EXPECT_EQ(lines.size(), 8U + 1U + 4U);
  EXPECT_EQ(lines.front(), "Traceback (most recent call last):");
  EXPECT_EQ(lines.back(), "ValueError: no");
}

TEST(Excerpt, DoesNotCutInsideACharacter) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "漢";
  for (const std::string& line : excerpt(text)) EXPECT_EQ(line, base::escape_for_terminal(line));
}

TEST(Excerpt, IsSafeAndShortForAnyBytes) {
  EXPECT_TRUE(rc::check("any bytes", [](const std::string& bytes) {
    const int copies = *rc::gen::inRange(1, 50);
    std::string text;
    for (int i = 0; i < copies; ++i) text += bytes;
    const auto lines = excerpt(text);
    RC_ASSERT(lines.size() <= 13U);
    for (const std::string& line : lines) RC_ASSERT(line == base::escape_for_terminal(line));
  }));
}

}  // namespace
}  // namespace lockstep::report
