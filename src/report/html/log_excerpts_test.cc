#include "report/html/log_excerpts.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html/log_file_for_tests.h"

namespace lockstep::html {

namespace {

using ::testing::ElementsAre;

std::string numbered_lines(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

model::Verdict verdict_about(const std::string& file, std::int64_t line) {
  model::Finding finding;
  finding.evidence.push_back({.file = file, .line = line, .rank = std::nullopt, .text = ""});
  model::Verdict verdict;
  verdict.findings.push_back(finding);
  return verdict;
}

std::vector<std::int64_t> numbers_of(const LogExcerpt& excerpt) {
  std::vector<std::int64_t> numbers;
  for (const LogLine& line : excerpt.lines) numbers.push_back(line.number);
  return numbers;
}

TEST(LogExcerpts, AShortLogIsWhole) {
  std::vector<readers::LogFile> logs;
  logs.push_back(testing::log_file("a.log", "[rank3]: one\ntwo"));
  const LogExcerpts excerpts = excerpts_of(logs, {});
  ASSERT_EQ(excerpts.files.size(), 1U);
  EXPECT_EQ(excerpts.files[0].lines_in_all, 2);
  EXPECT_THAT(numbers_of(excerpts.files[0]), ElementsAre(1, 2));
  EXPECT_EQ(excerpts.files[0].lines[0].rank, 3);
  EXPECT_EQ(excerpts.files[0].lines[0].text, "[rank3]: one");
}

TEST(LogExcerpts, ALongLogKeepsStartEndAndTheSurroundingsOfEvidence) {
  std::vector<readers::LogFile> logs;
  logs.push_back(testing::log_file("a.log", numbered_lines(1000)));
  const LogExcerpts excerpts =
      excerpts_of(logs, verdict_about("a.log", 500), {.max_lines = 8, .around_evidence = 1});
  EXPECT_THAT(numbers_of(excerpts.files[0]), ElementsAre(1, 2, 499, 500, 501, 995, 996, 997, 998, 999, 1000));
  EXPECT_EQ(excerpts.files[0].lines_in_all, 1000);
}

TEST(LogExcerpts, ALineOfAMegabyteIsCutAndSaysSo) {
  std::vector<readers::LogFile> logs;
  logs.push_back(testing::log_file("a.log", std::string(1 << 20, 'x')));
  const LogExcerpts excerpts = excerpts_of(logs, {});
  ASSERT_EQ(excerpts.files[0].lines.size(), 1U);
  EXPECT_EQ(excerpts.files[0].lines[0].text.size(), 2000U);
  EXPECT_EQ(excerpts.files[0].lines[0].bytes_cut, (1U << 20) - 2000U);
}

TEST(LogExcerpts, LogsWithEvidenceComeFirstAndTheRestIsCounted) {
  std::vector<readers::LogFile> logs;
  for (const char* name : {"a.log", "b.log", "c.log"}) logs.push_back(testing::log_file(name, "text\n"));
  const LogExcerpts excerpts = excerpts_of(logs, verdict_about("c.log", 1), {.max_files = 2});
  ASSERT_EQ(excerpts.files.size(), 2U);
  EXPECT_EQ(excerpts.files[0].file, "c.log");
  EXPECT_EQ(excerpts.files_left_out, 1U);
}

TEST(LogExcerpts, WhateverIsTooMuchTheEvidenceStays) {
  std::vector<readers::LogFile> logs;
  logs.push_back(testing::log_file("a.log", numbered_lines(1000)));
  const LogExcerpts excerpts =
      excerpts_of(logs, verdict_about("a.log", 700), {.max_bytes = 200, .around_evidence = 2});
  EXPECT_THAT(numbers_of(excerpts.files[0]), ::testing::Contains(700));
  EXPECT_LE(excerpts.files[0].lines.size(), 12U);
}

TEST(LogExcerpts, BytesThatAreNotTextDoNotReachThePage) {
  std::vector<readers::LogFile> logs;
  logs.push_back(testing::log_file("a.log", "\xFF\xFE<script>"));
  EXPECT_EQ(excerpts_of(logs, {}).files[0].lines[0].text, "\uFFFD\uFFFD<script>");
}

using ::testing::ElementsAre;

std::vector<LossCurve> curves_in(std::string_view text, std::optional<int> rank = std::nullopt,
                                 std::size_t most = 100) {
  std::vector<readers::LogFile> logs;
  logs.push_back(testing::log_file("a.log", text, rank));
  return loss_curves_in(logs, most);
}

TEST(LossCurves, RankStepAndLossOfALine) {
  const auto curves = curves_in("lab rank=2 step=4 loss=9.15\nlab rank=0 step=4 loss=1e-3\n");
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(curves[0].rank, 0);
  EXPECT_THAT(curves[0].points, ElementsAre(LossPoint{4, 1e-3}));
  EXPECT_EQ(curves[1].rank, 2);
  EXPECT_THAT(curves[1].points, ElementsAre(LossPoint{4, 9.15}));
}

TEST(LossCurves, FormsThatTrainersPrint) {
  const auto curves = curves_in(
      "[rank1]: Iteration 20: Loss 0.5\n"
      "{'loss': 0.25, 'step': 30}\n"
      "step [40/100] loss: 0.125\n",
      1);
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_THAT(curves[0].points, ElementsAre(LossPoint{20, 0.5}, LossPoint{30, 0.25}, LossPoint{40, 0.125}));
}

TEST(LossCurves, ALossThatIsNoNumberIsKept) {
  const auto curves = curves_in("step=1 loss=nan\n", 0);
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_TRUE(std::isnan(curves[0].points[0].loss));
}

TEST(LossCurves, WordsAboutLossAreNoPoints) {
  EXPECT_TRUE(curves_in("the loss function is mse\nglossary 12\npacket loss\n", 0).empty());
}

TEST(LossCurves, ManyPointsAreThinnedAndKeepTheLast) {
  std::string text;
  for (int step = 0; step < 1000; ++step)
    text += "step=" + std::to_string(step) + " loss=" + std::to_string(step) + "\n";
  const auto curves = curves_in(text, 0, 50);
  EXPECT_LE(curves[0].points.size(), 51U);
  EXPECT_GE(curves[0].points.size(), 25U);
  EXPECT_EQ(curves[0].points.front().step, 0);
  EXPECT_EQ(curves[0].points.back().step, 999);
}

TEST(LossCurves, AreCountedByEpochsWhereNoLineTellsAStep) {
  std::vector<readers::LogFile> logs;
  logs.push_back(testing::log_file("a.log", "Epoch 3/10 loss 0.5\nEpoch 4/10 loss 0.25\n"));
  const std::vector<LossCurve> curves = loss_curves_in(logs, 100);
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_EQ(curves[0].counted, LossCount::kEpoch);
  EXPECT_THAT(curves[0].points, ElementsAre(LossPoint{3, 0.5}, LossPoint{4, 0.25}));
}

TEST(LossCurves, AFractionOfAnEpochIsNotItsNumber) {
  std::vector<readers::LogFile> logs;
  logs.push_back(testing::log_file("a.log", "{'loss': 0.5, 'epoch': 0.01}\n{'loss': 0.25, 'epoch': 0.02}\n"));
  const std::vector<LossCurve> curves = loss_curves_in(logs, 100);
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_EQ(curves[0].counted, LossCount::kLine);
  EXPECT_THAT(curves[0].points, ElementsAre(LossPoint{0, 0.5}, LossPoint{1, 0.25}));
}

TEST(LogProgress, IsTheLastStepAndLossOfTheEndOfALog) {
  const auto progress = progress_in("half a line\nrank=0 step=7 loss=0.5\nstep=8 loss=0.25\nsaved\n");
  ASSERT_TRUE(progress.has_value());
  EXPECT_EQ(progress->number, 8);
  EXPECT_EQ(progress->loss, 0.25);
  EXPECT_EQ(progress->counted, LossCount::kStep);
  EXPECT_FALSE(progress_in("hello\n").has_value());
}

}  // namespace

}  // namespace lockstep::html
