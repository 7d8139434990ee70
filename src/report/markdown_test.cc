#include "report/markdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/testdata/expect_golden.h"
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

}  // namespace
}  // namespace lockstep::report
