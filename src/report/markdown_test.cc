#include <rapidcheck.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/format.h"
#include "report/testdata/sample_verdicts.h"

namespace lockstep::report {

namespace {

using testing::HasSubstr;
using testing::Not;

TEST(RenderMarkdown, TellsTheWholeStory) {
  expect_golden("missing_rank.md", render_markdown(missing_rank_verdict()));
}

TEST(RenderMarkdown, StaysCalmWhenNothingIsWrong) {
  expect_golden("nothing_wrong.md", render_markdown(nothing_wrong_verdict()));
  EXPECT_EQ(render_markdown({}), "Nothing wrong found.\n");
}

TEST(RenderMarkdown, KeepsHostileTextInItsPlace) {
  const std::string markdown = render_markdown(hostile_verdict());
  EXPECT_THAT(markdown, Not(HasSubstr("\x1b")));
  EXPECT_THAT(markdown, Not(HasSubstr("\n/close")));
  expect_golden("hostile.md", markdown);
}

// What a reader of Markdown sees outside of code spans: spans open and close with runs of equal length.
std::string outside_code_spans(std::string_view markdown) {
  std::string outside;
  while (!markdown.empty()) {
    if (markdown.front() != '`') {
      outside += markdown.front();
      markdown.remove_prefix(1);
      continue;
    }
    const std::size_t ticks = std::min(markdown.find_first_not_of('`'), markdown.size());
    std::size_t close = ticks;
    for (std::size_t run = 0; close < markdown.size(); close += std::max<std::size_t>(run, 1)) {
      run = std::min(markdown.find_first_not_of('`', close), markdown.size()) - close;
      if (run == ticks) break;
    }
    if (close >= markdown.size()) return outside + "UNCLOSED";
    markdown.remove_prefix(close + ticks);
  }
  return outside;
}

TEST(MarkdownProse, LeavesProseAlone) {
  EXPECT_EQ(markdown_prose("Rank 3 (of 8) left early, didn't it? 97% sure: größer"),
            "Rank 3 (of 8) left early, didn't it? 97% sure: größer");
}

TEST(MarkdownProse, TurnsEverythingElseIntoCode) {
  EXPECT_EQ(markdown_prose("set drop_last=True."), "set `drop_last=True`.");
  EXPECT_EQ(markdown_prose("<img src=x> ![a](b) [a](b)"), "`<img` `src=x>` `![a](b)` `[a](b)`");
  EXPECT_EQ(markdown_prose("https://a.example www.a.example a@b.example"),
            "`https://a.example` `www.a.example` `a@b.example`");
  EXPECT_EQ(markdown_prose("/close @all #1 !2 :smile: ~x"), "`/close` `@all` `#1` `!2` `:smile`: `~x`");
}

TEST(MarkdownProse, BeginsNoList) {
  EXPECT_EQ(markdown_prose("- x"), "\\- x");
  EXPECT_EQ(markdown_prose("1. x"), "1\\. x");
  EXPECT_EQ(markdown_prose("    indented"), "indented");
}

TEST(MarkdownCode, ChoosesEnoughBackticks) {
  EXPECT_EQ(markdown_code("x"), "`x`");
  EXPECT_EQ(markdown_code("a``b"), "```a``b```");
  EXPECT_EQ(markdown_code("`"), "`` ` ``");
}

TEST(MarkdownFence, IsLongerThanAnyFenceInside) {
  EXPECT_EQ(markdown_fence({"a", "````"}, "text", 2), "  `````text\n  a\n  ````\n  `````\n");
}

TEST(MarkdownProse, HasNoMarkupOutsideCode) {
  EXPECT_TRUE(rc::check("any words of hostile characters", [] {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::elementOf(std::string_view("`` <>[]()!*_#@&|~\\:/.-w1a$^{}\n\t\x1b\xFF")));
    const std::string outside = outside_code_spans(markdown_prose(text));
    RC_ASSERT(outside.find("UNCLOSED") == std::string::npos);
    RC_ASSERT(outside.find_first_of("<>[]*_#@&|~$^{}\n\x1b") == std::string::npos);
    RC_ASSERT(outside.find("://") == std::string::npos);
    RC_ASSERT(outside.find("www.") == std::string::npos);
  }));
}

}  // namespace

}  // namespace lockstep::report
