#include "diagnose/logs/line.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::logs {
namespace {

std::string line_at(std::string_view bytes, std::size_t offset) {
  const LineSpan span = line_around(bytes, offset);
  return std::string(bytes.substr(span.begin, span.end - span.begin));
}

TEST(Line, EndsAtNewlinesAndCarriageReturns) {
  constexpr std::string_view kText = "one\n 10%\r 20%\r\nthree";
  EXPECT_EQ(line_at(kText, 1), "one");
  EXPECT_EQ(line_at(kText, 6), " 10%");
  EXPECT_EQ(line_at(kText, 11), " 20%");
  EXPECT_EQ(line_at(kText, 16), "three");
}

// The slow twin: one character after another.
LineSpan line_by_characters(std::string_view bytes, std::size_t offset) {
  const auto ends_line = [&](std::size_t place) { return bytes[place] == '\n' || bytes[place] == '\r'; };
  LineSpan span{offset, offset};
  while (span.begin > 0 && offset - span.begin < kLongestLine && !ends_line(span.begin - 1)) --span.begin;
  while (span.end < bytes.size() && span.end - offset < kLongestLine && !ends_line(span.end)) ++span.end;
  return span;
}

RC_GTEST_PROP(Line, IsWhatALookAtEveryCharacterFinds, ()) {
  std::string text;
  for (const std::string& part : *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
           "a", "\n", "\r", "\r\n", "some words", std::string(kLongestLine - 3, 'x'))))
    text += part;
  const auto offset = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
  RC_ASSERT(line_around(text, offset) == line_by_characters(text, offset));
}

TEST(Line, OfManyMegabytesIsCutAroundThePlace) {
  const std::string huge(10 << 20, 'x');
  const LineSpan span = line_around(huge, 5 << 20);
  EXPECT_LE(span.end - span.begin, 2 * kLongestLine);
  EXPECT_LE(span.begin, std::size_t{5} << 20);
  EXPECT_GT(span.end, std::size_t{5} << 20);
}

// Each look at one of them must not go to the newline a gigabyte further on.
TEST(Line, ManyThatEndInCarriageReturnsAreEachLookedAtOnce) {
  std::string bars;
  for (int i = 0; i < 200'000; ++i) bars += "step " + std::to_string(i) + std::string(80, '#') + '\r';
  std::size_t lines = 0;
  for_each_line(bars, 0, bars.size(), [&](std::string_view, LineSpan) { ++lines; });
  EXPECT_EQ(lines, 200'000U);
}

TEST(Line, EndsAreFoundAcrossTheParts) {
  for (const std::size_t length :
       {0UL, 1UL, kLongestLine - 1, kLongestLine, kLongestLine + 1, 3 * kLongestLine}) {
    const std::string line(length, 'x');
    EXPECT_EQ(end_of_line(line, 0), length);
    EXPECT_EQ(end_of_line(line + "\rb\n", 0), length);
    EXPECT_EQ(end_of_line(line + "\nb\r", 0), length);
  }
}

TEST(Line, TerminalCodesAreDropped) {
  EXPECT_EQ(without_terminal_codes("\x1b[1;31mError\x1b[0m: x\x1b"), "Error: x");
  EXPECT_EQ(without_terminal_codes("\x1b[31"), "");
}

}  // namespace
}  // namespace lockstep::logs
