#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/format.h"
#include "report/lines.h"
#include "report/testdata/sample_verdicts.h"

namespace lockstep::report {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr TextStyle kPlain{.colour = false, .width = 80};

bool has_control_byte(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n') || byte == 0x7F;
  });
}

TEST(RenderText, TellsTheWholeStory) {
  expect_golden("missing_rank.txt", render_text(missing_rank_verdict(), kPlain));
}

TEST(RenderText, StaysCalmWhenNothingIsWrong) {
  expect_golden("nothing_wrong.txt", render_text(nothing_wrong_verdict(), kPlain));
  EXPECT_EQ(render_text({}, kPlain), "Nothing wrong found.\n");
}

TEST(RenderText, LetsNoHostileByteThrough) {
  const std::string text = render_text(hostile_verdict(), kPlain);
  EXPECT_FALSE(has_control_byte(text));
  EXPECT_THAT(text, HasSubstr("\\x1b[2J"));
  EXPECT_THAT(text, HasSubstr("\\x9b31m"));
  EXPECT_THAT(text, Not(HasSubstr("\xC2\x9B")));
  EXPECT_THAT(text, Not(HasSubstr("\xE2\x80\xAE")));
  expect_golden("hostile.txt", text);
}

TEST(RenderText, ColoursOnlyWhenAsked) {
  EXPECT_FALSE(has_control_byte(render_text(missing_rank_verdict(), kPlain)));
  EXPECT_THAT(render_text(missing_rank_verdict(), {.colour = true, .width = 80}),
              HasSubstr("\x1b[1;31mRank 3"));
}

TEST(RenderText, FitsTheWidthExceptForCommands) {
  model::Verdict verdict = missing_rank_verdict();
  verdict.findings[0].fixes[1].commands.clear();
  for (const int width : {40, 57, 80, 132}) {
    std::istringstream text(render_text(verdict, {.colour = false, .width = width}));
    for (std::string line; std::getline(text, line);) EXPECT_LE(display_width(line), width) << line;
  }
}

TEST(RenderText, KeepsACommandOnOneLine) {
  const std::string command = missing_rank_verdict().findings[0].fixes[1].commands[0];
  EXPECT_THAT(render_text(missing_rank_verdict(), {.colour = false, .width = 40}), HasSubstr(command + "\n"));
}

TEST(RenderText, FoldsManyPiecesOfEvidence) {
  model::Verdict verdict = missing_rank_verdict();
  verdict.findings[0].evidence.assign(20, {"a.log", 1, 0, "again", model::EvidenceLevel::kSeen});
  EXPECT_THAT(render_text(verdict, kPlain), HasSubstr("… and 12 more"));
}

TEST(RenderText, SurvivesAConfidenceThatIsNoNumber) {
  model::Verdict verdict = missing_rank_verdict();
  verdict.findings[0].confidence = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(render_text(verdict, kPlain), HasSubstr("a guess (0%)"));
}

TEST(Text, SaysWhyWhereSomebodyAsks) {
  model::Verdict verdict = nothing_wrong_verdict();
  verdict.decisions.emplace();
  EXPECT_NE(render_text(verdict, {}).find("Nothing had to be weighed"), std::string::npos);
  verdict.decisions->push_back({.rule = "clean_exit",
                                .finding = model::codes::kOtherException,
                                .outcome = model::Outcome::kDropped,
                                .other = {},
                                .reason = "it was caught"});
  verdict.decisions->push_back({.rule = "exit_status",
                                .finding = model::codes::kProcessEnded,
                                .outcome = model::Outcome::kDropped,
                                .other = model::codes::kKilled,
                                .reason = "a cause\x1b[2J"});
  const std::string text = render_text(verdict, {.colour = false, .width = 200});
  EXPECT_NE(text.find("  - other.exception is dropped: it was caught (clean_exit)\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("  - process.ended is dropped because of mem.killed: a cause"), std::string::npos)
      << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace lockstep::report
