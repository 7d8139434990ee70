#include "diagnose/logs/features.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/check.h"
#include "diagnose/logs/judge.h"

namespace lockstep::logs {
namespace {

const Features& features_in(std::string_view text) {
  static const catalogue::Catalogue catalogue = [] {
    auto loaded = catalogue::Catalogue::load();
    CHECK(loaded.ok(), "the built-in catalogue loads");
    return std::move(loaded).value();
  }();
  static LogVerdict verdict;
  const LogText log{"job.log", text, std::nullopt};
  verdict = judge(catalogue, std::span(&log, 1));
  return verdict.features;
}

constexpr std::string_view kOutOfMemory = "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n";

TEST(Features, WhatFollowsAFailureCounts) {
  const std::string died = "Epoch 1 step 10 loss 2.1\n" + std::string(kOutOfMemory);
  const std::string survived =
      std::string(kOutOfMemory) + "Epoch 1 step 10 loss 2.1\nEpoch 1 step 20 loss 2.0\n";
  EXPECT_TRUE(features_in(died).contains("s:course steps after failure 0"));
  EXPECT_FALSE(features_in(died).contains("s:first outlived from 1"));
  EXPECT_TRUE(features_in(survived).contains("s:course steps after failure from 1"));
  EXPECT_TRUE(features_in(survived).contains("s:first outlived from 1"));
}

TEST(Features, AProcessThatExitsSuccessfullyIsNoFailure) {
  const Features& features = features_in(
      "step 10 loss 2.1\n[2026-11-18 06:07:47,001] [INFO] [launch.py:460:main] Process 77 exits "
      "successfully.\n");
  EXPECT_TRUE(features.contains("s:course no failure"));
  EXPECT_TRUE(features.contains("s:course ended well"));
}

TEST(Features, WhatIsReachedIsToldOfEverySize) {
  std::string steps;
  for (int step = 0; step < 20; ++step) steps += "step " + std::to_string(step) + " loss 2.0\n";
  const Features& features = features_in(steps);
  EXPECT_TRUE(features.contains("s:steps from 4") && features.contains("s:steps from 16"));
  EXPECT_FALSE(features.contains("s:steps from 64") || features.contains("s:steps 0"));
}

TEST(Features, OfManyLogsTheOneThatShowsSomethingIsRead) {
  static const auto catalogue = catalogue::Catalogue::load();
  ASSERT_TRUE(catalogue.ok());
  constexpr std::size_t kLogs = 200;
  for (const std::size_t at : {std::size_t{0}, kLogs / 2 + 1, kLogs - 1}) {
    std::vector<LogText> logs(kLogs, LogText{"rank.log", "Epoch 1 step 10 loss 2.1\n", std::nullopt});
    logs[at].bytes = kOutOfMemory;
    const LogVerdict verdict = judge(catalogue.value(), logs);
    EXPECT_TRUE(verdict.features.contains("s:code mem.gpu failure")) << at;
    ASSERT_FALSE(verdict.findings.empty()) << at;
    EXPECT_EQ(verdict.findings.front().leaf, model::Leaf::kRunMem) << at;
  }
}

TEST(Features, AnEntrySpeaksFromAKindOfLine) {
  EXPECT_TRUE(features_in(kOutOfMemory).contains("s:code mem.gpu failure"));
  EXPECT_TRUE(features_in("INFO trainer: retry after CUDA out of memory. Tried to allocate 2.00 GiB\n")
                  .contains("s:code mem.gpu info"));
}

TEST(Features, PrintedSourceIsNoWordOfAFailure) {
  constexpr std::string_view kListing =
      "def check(x):\n    if x is None:\n        raise ValueError(\"flavour is missing\")\n    return x\n";
  EXPECT_FALSE(features_in(kListing).contains("e:flavour"));
  EXPECT_TRUE(features_in("ValueError: flavour is missing\n").contains("e:flavour"));
}

TEST(Features, OfAFramesPathTheFileAloneCounts) {
  const Features& features = features_in(
      "Traceback (most recent call last):\n  File \"/home/secret/run.py\", line 3, in main\nKeyError: 'x'\n");
  EXPECT_TRUE(features.contains("f:run.py"));
  EXPECT_TRUE(features.contains("f:in main"));
  EXPECT_FALSE(features.contains("w:secret") || features.contains("f:secret"));
}

TEST(Features, TheSameForTheSameText) {
  const Features once = features_in(kOutOfMemory);
  EXPECT_EQ(once, features_in(kOutOfMemory));
}

}  // namespace
}  // namespace lockstep::logs
