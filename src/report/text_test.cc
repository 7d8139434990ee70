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

const TextStyle kPlain{.colour = false, .width = 80, .details = true};
const TextStyle kBrief{.colour = false, .width = 80};

std::vector<std::string> rows_of(const std::string& text) {
  std::vector<std::string> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) rows.push_back(line);
  return rows;
}

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
  EXPECT_EQ(render_text({}, kBrief), "Nothing wrong found.\n");
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
    for (const bool details : {true, false}) {
      for (const std::string& row :
           rows_of(render_text(verdict, {.colour = false, .width = width, .details = details})))
        EXPECT_LE(display_width(row), width) << row;
    }
  }
}

TEST(RenderText, KeepsACommandOnOneLine) {
  const std::string command = missing_rank_verdict().findings[0].fixes[1].commands[0];
  EXPECT_THAT(render_text(missing_rank_verdict(), {.colour = false, .width = 40, .details = true}),
              HasSubstr(command + "\n"));
}

TEST(RenderText, FoldsManyPiecesOfEvidence) {
  model::Verdict verdict = missing_rank_verdict();
  verdict.findings[0].evidence.assign(20, {"a.log", 1, 0, "again", model::EvidenceLevel::kSeen});
  EXPECT_THAT(render_text(verdict, kPlain), HasSubstr("… and 12 more"));
}

// What is in the first five rows is what a reader needs to go on.
TEST(RenderText, TheFirstFiveRowsAreEnough) {
  const std::string text = render_text(missing_rank_verdict(), kBrief);
  expect_golden("missing_rank_brief.txt", text);
  const std::vector<std::string> rows = rows_of(text);
  ASSERT_GT(rows.size(), 5U);
  EXPECT_THAT(rows[0], HasSubstr("Rank 3 left the training loop"));
  EXPECT_THAT(rows[1], HasSubstr("Root cause: rank 3. Affected: ranks 0-2 and 4-7. Almost certain (97%)."));
  EXPECT_THAT(rows[2], HasSubstr("At train.py:88 in main (rank 3); train.py:71 in step (ranks 0-2 and 4-7)"));
  EXPECT_THAT(rows[3], HasSubstr("Do first: Give every rank the same number of batches"));
  EXPECT_THAT(rows[4], HasSubstr("drop_last=True"));
  EXPECT_THAT(text, Not(HasSubstr("PERF-HANG")));
  EXPECT_THAT(rows.back(), HasSubstr("explain desync.missing_rank"));
}

TEST(RenderText, AVerdictOfOneFindingFitsATerminal) {
  model::Verdict verdict = missing_rank_verdict();
  model::Finding& finding = verdict.findings.front();
  std::string words;
  for (int i = 0; i < 200; ++i) words += "many words ";
  finding.title = finding.explanation = finding.fixes[0].title = words;
  finding.fixes[0].steps.assign(9, words);
  finding.fixes[0].commands.assign(9, "a command");
  finding.evidence.assign(20, {"a.log", 1, 0, words, model::EvidenceLevel::kSeen});
  finding.places.assign(20, finding.places.front());
  verdict.limits.assign(40, words);
  EXPECT_LE(rows_of(render_text(verdict, kBrief)).size(), 23U);
  finding.confidence = 0.4;
  EXPECT_LE(rows_of(render_text(verdict, kBrief)).size(), 23U) << "with a limit";
}

TEST(RenderText, WhatFollowedFromTheCauseIsToldBelowIt) {
  model::Verdict verdict = missing_rank_verdict();
  model::Finding lost = verdict.findings.front();
  lost.code = model::codes::kDeadRank;
  lost.title = "Ranks 0-2 ended: exit status 1";
  lost.consequence_of = verdict.findings.front().code;
  verdict.findings.push_back(lost);
  const std::string brief = render_text(verdict, kBrief);
  EXPECT_THAT(brief, HasSubstr("Then: Ranks 0-2 ended: exit status 1\n"));
  EXPECT_THAT(brief, Not(HasSubstr("2. "))) << "it is one story";
  const std::string details = render_text(verdict, kPlain);
  EXPECT_THAT(details, HasSubstr("Consequences and other signs\n     - Ranks 0-2 ended: exit status 1\n"));
}

TEST(RenderText, LimitsAreSaidWhereAVerdictDoesNotStandByItself) {
  model::Verdict verdict = missing_rank_verdict();
  EXPECT_THAT(render_text(verdict, kBrief), Not(HasSubstr("Limit: ")));
  EXPECT_THAT(render_text(verdict, kBrief), HasSubstr("2 limits"));
  verdict.findings[0].confidence = 0.4;
  EXPECT_THAT(render_text(verdict, kBrief), HasSubstr("Limit: rank 3 left no flight recorder dump"));
}

TEST(RenderText, SurvivesAConfidenceThatIsNoNumber) {
  model::Verdict verdict = missing_rank_verdict();
  verdict.findings[0].confidence = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(render_text(verdict, kPlain), HasSubstr("A guess (0%)"));
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
