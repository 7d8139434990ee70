// What torchrun and its error files say about ranks that failed, from real runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "readers/format.h"
#include "readers/testing/dumps.h"

namespace lockstep::readers {
namespace {

using model::RankEnd;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::seed;

model::Job read(std::string_view format, const std::string& bytes, const char* path = "x/error.json") {
  const Source source{.name = "error.json", .path = path, .bytes = bytes};
  const Format* found = sniff(source);
  EXPECT_NE(found, nullptr);
  if (found == nullptr) return {};
  EXPECT_EQ(found->name, format);
  return found->read(source);
}

model::Job read_error(const std::string& bytes, const char* path = "x/error.json") {
  return read("torchelastic error file", bytes, path);
}

model::Job read_log(const std::string& bytes) {
  return read("torchrun log", bytes, "launcher.err");
}

std::vector<std::string> functions_of(const model::Job& job, model::StackId stack) {
  std::vector<std::string> functions;
  for (const model::Frame& frame : job.stacks[stack]) functions.push_back(frame.function);
  return functions;
}

TEST(ErrorJson, TellsTheErrorAndWhereItWasRaised) {
  const model::Job job = read_error(seed("torchrun_texts/error_json"), "logs/none_x/attempt_1/1/error.json");
  ASSERT_EQ(job.ranks.size(), 1U);
  const model::RankHistory& history = job.ranks[0];
  EXPECT_EQ(history.rank.local_rank, 1);
  EXPECT_EQ(history.rank.number, 1);
  EXPECT_EQ(history.rank.restart, 1);
  ASSERT_EQ(history.failures.size(), 1U);
  EXPECT_EQ(history.failures[0].message, "RuntimeError: batch 3 is broken\nsecond line: \u00e9");
  EXPECT_EQ(history.failures[0].time_ns, 1'794'745'750'000'000'000);
  EXPECT_THAT(functions_of(job, history.failures[0].stack), ElementsAre("main", "wrapper"));
  EXPECT_THAT(job.limits, ElementsAre(HasSubstr("only the local rank")));
  EXPECT_EQ(job.framework, "pytorch");
}

TEST(ErrorJson, ANameThatTellsTheRankNeedsNoGuess) {
  const model::Job job = read_error(seed("torchrun_texts/error_json"), "logs/rank_12/error.json");
  EXPECT_EQ(job.ranks[0].rank.number, 12);
  EXPECT_THAT(job.limits, IsEmpty());
}

TEST(ErrorJson, ReadsTheFlatShape) {
  const model::Job job = read_error(seed("torchrun_texts/error_json_flat"));
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks[0].rank.number, model::kUnknownRank);
  EXPECT_EQ(job.ranks[0].failures[0].message, "ValueError: bad shard");
  EXPECT_EQ(job.ranks[0].failures[0].time_ns, 1'700'000'000'000'000'000);
}

TEST(ErrorJson, TheParentsCopyKnowsTheExitCode) {
  const model::Job job = read_error(
      R"({"message": {"message": "Signal 9", "extraInfo": {"timestamp": "17"}, "errorCode": -9}})");
  EXPECT_EQ(job.ranks[0].rank.end, RankEnd::kSignalled);
  EXPECT_EQ(job.ranks[0].rank.exit_status, 9);
}

TEST(ErrorJson, ATimeThatCannotBeIsNone) {
  for (const char* seconds : {"11700000000", "9223372036854775807", "-1", "0"}) {
    const model::Job job = read_error(std::string(R"({"message": "x", "timestamp": )") + seconds + "}");
    EXPECT_EQ(job.ranks.at(0).failures.at(0).time_ns, model::kNoTime) << seconds;
  }
}

TEST(ErrorJson, OneThatWasCutSaysSo) {
  const std::string whole = seed("torchrun_texts/error_json");
  for (std::size_t size = 0; size < whole.find_last_of('}'); ++size) {
    const std::string cut = whole.substr(0, size);
    const Source source{.name = "error.json", .path = "error.json", .bytes = cut};
    const Format* format = sniff(source);
    if (size < 30) continue;
    ASSERT_NE(format, nullptr) << size;
    ASSERT_THAT(format->read(source).limits, ElementsAre(HasSubstr("error.json: cut"))) << size;
    ASSERT_THAT(format->read(source).ranks, IsEmpty()) << size;
  }
}

TEST(ErrorJson, OtherJsonIsNotOne) {
  for (const char* text : {"{}", R"({"message": "hello"})", R"({"message": 3, "timestamp": 3})",
                           R"({"msg": {"message": "x"}})", "[]", R"({"message": {"text": "x"}})"}) {
    EXPECT_EQ(sniff({.name = "x", .path = "error.json", .bytes = text}), nullptr) << text;
  }
}

TEST(TorchrunSummary, TellsHowEachRankEnded) {
  const model::Job job = read_log(seed("torchrun_texts/segmentation_fault"));
  ASSERT_EQ(job.ranks.size(), 2U);
  const model::RankHistory& killed = job.ranks[0];
  EXPECT_EQ(killed.rank.number, 1);
  EXPECT_EQ(killed.rank.pid, 10621);
  EXPECT_EQ(killed.rank.end, RankEnd::kSignalled);
  EXPECT_EQ(killed.rank.exit_status, 11);
  EXPECT_EQ(killed.rank.host, std::nullopt) << "every node is localhost to itself";
  EXPECT_EQ(killed.failures[0].message, "Signal 11 (SIGSEGV) received by PID 10621");
  EXPECT_EQ(job.ranks[1].rank.number, 0);
  EXPECT_EQ(job.ranks[1].rank.exit_status, 15);
}

TEST(TorchrunSummary, KeepsTheAttemptsApart) {
  const model::Job job = read_log(seed("torchrun_texts/exception_in_two_attempts"));
  ASSERT_EQ(job.ranks.size(), 3U);
  EXPECT_EQ(job.ranks[0].rank.pid, 12502);
  EXPECT_EQ(job.ranks[0].rank.restart, 0);
  EXPECT_EQ(job.ranks[0].rank.local_rank, 1);
  EXPECT_EQ(job.ranks[0].rank.end, RankEnd::kExited);
  EXPECT_EQ(job.ranks[0].rank.exit_status, 1);
  EXPECT_EQ(job.ranks[1].rank.pid, 12514);
  EXPECT_EQ(job.ranks[1].rank.restart, 1);
  EXPECT_EQ(job.ranks[1].rank.number, 1);
  ASSERT_EQ(job.ranks[1].failures.size(), 1U);
  EXPECT_EQ(job.ranks[1].failures[0].message, "RuntimeError: batch 3 is broken\nsecond line: \u00e9");
  EXPECT_THAT(functions_of(job, job.ranks[1].failures[0].stack), ElementsAre("main", "wrapper"));
  EXPECT_EQ(job.ranks[2].rank.number, 0);
  EXPECT_THAT(functions_of(job, job.ranks[2].failures[0].stack),
              ElementsAre("all_reduce", "wrapper", "main", "wrapper"));
}

TEST(TorchrunSummary, ReadsOldReleases) {
  const model::Job job = read_log(seed("torchrun_texts/summary_of_pytorch_1_13"));
  ASSERT_EQ(job.ranks.size(), 1U) << "the line and the item are of the same process";
  EXPECT_EQ(job.ranks[0].rank.number, 9);
  EXPECT_EQ(job.ranks[0].rank.local_rank, 1);
  EXPECT_EQ(job.hosts.at(0).name, "node-b");
  EXPECT_THAT(job.ranks[0].failures, IsEmpty()) << "it only says how to get a traceback";
}

TEST(TorchrunSummary, LaunchersOfSeveralNodesMayAlternate) {
  std::istringstream a(seed("torchrun_texts/segmentation_fault"));
  std::istringstream b(seed("torchrun_texts/summary_of_pytorch_1_13"));
  std::string log;
  std::string line;
  while (std::getline(a, line)) {
    log += "0: " + line + "\n";
    if (std::getline(b, line)) log += "1: " + line + "\n";
  }
  while (std::getline(b, line)) log += "1: " + line + "\n";
  const model::Job job = read_log(log);
  ASSERT_EQ(job.ranks.size(), 3U);
  EXPECT_EQ(job.ranks[0].rank.number, 1);
  EXPECT_EQ(job.ranks[2].rank.number, 9);
}

TEST(TorchrunSummary, StacksInTheSameLogAreReadToo) {
  const std::string log = seed("stack_dumps/faulthandler_segmentation_fault") +
                          seed("stack_dumps/py_spy_waiting") + seed("torchrun_texts/segmentation_fault");
  std::vector<std::string_view> names;
  for (const Format* format : formats_in({.name = "log", .path = "log", .bytes = log})) {
    names.push_back(format->name);
  }
  EXPECT_THAT(names, ElementsAre("py-spy stacks", "torchrun log", "faulthandler stacks"));
}

TEST(TorchrunSummary, CutAnywhereItInventsNoRank) {
  const std::string whole = seed("torchrun_texts/exception_in_two_attempts");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    const Source source{.name = "log", .path = "log", .bytes = cut};
    const Format* format = sniff(source);
    if (format == nullptr) continue;
    for (const model::RankHistory& history : format->read(source).ranks) {
      ASSERT_LE(history.rank.number, 1) << "cut at " << size;
      ASSERT_TRUE(history.rank.end != RankEnd::kUnknown || !history.rank.pid) << "cut at " << size;
    }
  }
}

std::string summary_item(int number, int rank, const std::string& clock, const std::string& exit) {
  return "[" + std::to_string(number) + "]:\n  time      : 2026-11-19_13:09:" + clock +
         "\n  host      : localhost\n  rank      : " + std::to_string(rank) +
         " (local_rank: " + std::to_string(rank) + ")\n  exitcode  : " + exit +
         " (pid: " + std::to_string(4000 + rank) +
         ")\n  error_file: <N/A>\n  traceback : To enable traceback see: https://pytorch.org/docs\n";
}

TEST(TorchrunLog, TheRootCauseIsMarkedAndWhomTorchrunKilledDidNotFail) {
  const std::string rule = "------------------------------------------------------------\n";
  const auto log_of = [&](const std::string& killed_at) {
    return "train.py FAILED\n" + rule + "Failures:\n" + summary_item(1, 0, killed_at, "-9") + rule +
           "Root Cause (first observed failure):\n" + summary_item(0, 2, "10", "1") +
           "============================================================\n";
  };
  const model::Job later = read_log(log_of("40"));
  ASSERT_EQ(later.ranks.size(), 2U);
  EXPECT_EQ(later.ranks[0].rank.end, RankEnd::kUnknown) << "30 s after rank 2 torchrun ended it";
  EXPECT_FALSE(later.ranks[0].rank.launcher_saw_first);
  EXPECT_EQ(later.ranks[1].rank.end, RankEnd::kExited);
  EXPECT_TRUE(later.ranks[1].rank.launcher_saw_first);
  EXPECT_EQ(read_log(log_of("10")).ranks[0].rank.end, RankEnd::kSignalled) << "it may have been first";
}

}  // namespace
}  // namespace lockstep::readers
