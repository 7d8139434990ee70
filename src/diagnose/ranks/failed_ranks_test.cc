#include "diagnose/ranks/failed_ranks.h"

#include <csignal>

#include <gtest/gtest.h>

#include "diagnose/ranks/testing/job_sketch.h"

namespace lockstep::ranks {
namespace {

using model::RankEnd;
using testing::JobSketch;

void fails(JobSketch& sketch, int rank, const std::string& message, std::int64_t time_ns) {
  sketch.history(rank).failures.push_back({.message = message, .time_ns = time_ns});
}

TEST(FailedRanks, TheFirstToFailIsTheRoot) {
  JobSketch sketch(4);
  fails(sketch, 0, "RuntimeError: Connection closed by peer", 3'000);
  fails(sketch, 2, "ValueError: bad batch", 1'000);
  const auto finding = find_failed_ranks(sketch.job);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->root_ranks, std::vector<int>{2});
  EXPECT_EQ(finding->victim_ranks, std::vector<int>{0});
  EXPECT_NE(finding->title.find("bad batch"), std::string::npos);
}

TEST(FailedRanks, AKilledRankComesBeforeTheErrorsOfThoseItLeft) {
  JobSketch sketch(3);
  fails(sketch, 0, "RuntimeError: Connection reset", 1'000);
  sketch.history(1).rank.end = RankEnd::kSignalled;
  sketch.history(1).rank.exit_status = SIGKILL;
  EXPECT_EQ(find_failed_ranks(sketch.job)->root_ranks, std::vector<int>{1});
}

TEST(FailedRanks, ARankThatWasKilledHasTheCodeOfOneThatOthersWaitFor) {
  JobSketch sketch(2);
  sketch.history(1).rank.end = RankEnd::kSignalled;
  sketch.history(1).rank.exit_status = SIGKILL;
  EXPECT_EQ(find_failed_ranks(sketch.job)->code, "desync.dead_rank");
  EXPECT_EQ(find_failed_ranks(sketch.job)->leaf, model::Leaf::kRunComm);
  sketch.history(1).rank.exit_status = SIGSEGV;
  EXPECT_EQ(find_failed_ranks(sketch.job)->code, "process.ended") << "a crash is of its own making";
  JobSketch alone(1);
  alone.history(0).rank = sketch.history(1).rank;
  alone.history(0).rank.exit_status = SIGKILL;
  EXPECT_EQ(find_failed_ranks(alone.job)->code, "process.ended") << "nobody is without it";
}

TEST(FailedRanks, TheErrorOfACallInWhichARankWasLeftIsNotItsOwn) {
  JobSketch sketch(2);
  sketch.call(0, {.communicator = sketch.world(), .sequence = 1, .state = model::EventState::kFailed});
  sketch.history(0).failures.push_back(
      {.message = "UNAVAILABLE: Socket closed", .time_ns = 1'000, .source = static_cast<model::SourceId>(0)});
  sketch.history(0).rank.end = RankEnd::kExited;
  EXPECT_TRUE(find_failed_ranks(sketch.job));
  EXPECT_FALSE(find_failed_ranks(sketch.job, {0}));
  sketch.history(0).failures.push_back(
      {.message = "KeyError: 'x'", .time_ns = 2'000, .source = static_cast<model::SourceId>(1)});
  EXPECT_TRUE(find_failed_ranks(sketch.job, {0}));
}

TEST(FailedRanks, RanksThatTheLauncherEndedDidNotFail) {
  JobSketch sketch(2);
  sketch.history(1).rank.end = RankEnd::kSignalled;
  sketch.history(1).rank.exit_status = SIGTERM;
  EXPECT_FALSE(find_failed_ranks(sketch.job));
}

TEST(FailedRanks, RanksThatAreGoneWithoutATraceWereEndedAfterTheOneThatLeftAStatus) {
  JobSketch sketch(4);
  for (const int rank : {0, 1, 3}) sketch.history(rank).rank.liveness = model::Liveness::kDead;
  EXPECT_EQ(find_failed_ranks(sketch.job)->root_ranks, std::vector<int>{0}) << "nothing else is known";
  sketch.history(2).rank.end = RankEnd::kExited;
  sketch.history(2).rank.exit_status = 1;
  const auto finding = find_failed_ranks(sketch.job);
  EXPECT_EQ(finding->root_ranks, std::vector<int>{2});
  EXPECT_EQ(finding->victim_ranks, (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(finding->code, model::codes::kProcessEnded);
  ASSERT_EQ(finding->evidence.size(), 1U);
  EXPECT_EQ(finding->evidence.front().rank, 2);
}

TEST(FailedRanks, TheLaunchersWordCountsAmongThoseThatExited) {
  JobSketch sketch(3);
  for (const int rank : {0, 2}) {
    sketch.history(rank).rank.end = RankEnd::kExited;
    sketch.history(rank).rank.exit_status = 1;
  }
  EXPECT_EQ(find_failed_ranks(sketch.job)->root_ranks, std::vector<int>{0});
  sketch.history(2).rank.launcher_saw_first = true;
  EXPECT_EQ(find_failed_ranks(sketch.job)->root_ranks, std::vector<int>{2});
}

TEST(FailedRanks, TorchrunsWordsForTheSignalItSentAreNoFailureOfTheRank) {
  JobSketch sketch(2);
  sketch.history(0).rank.end = RankEnd::kExited;
  sketch.history(0).rank.exit_status = 1;
  sketch.history(1).rank.end = RankEnd::kSignalled;
  sketch.history(1).rank.exit_status = SIGTERM;
  fails(sketch, 1, "Signal 15 (SIGTERM) received by PID 25750", 1'000);
  const auto finding = find_failed_ranks(sketch.job);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->root_ranks, std::vector<int>{0});
  EXPECT_TRUE(finding->victim_ranks.empty());
}

TEST(FailedRanks, ARankWhoseCollectiveWasGivenUpWithoutAWordDidNotFailByItself) {
  JobSketch sketch(2);
  sketch.history(0).rank.end = RankEnd::kExited;
  sketch.history(0).rank.exit_status = 1;
  sketch.call(0, {.communicator = sketch.world(), .sequence = 1, .state = model::EventState::kFailed});
  EXPECT_FALSE(find_failed_ranks(sketch.job));
  fails(sketch, 0, "Mismatched data types", 1'000);
  EXPECT_EQ(find_failed_ranks(sketch.job)->root_ranks, std::vector<int>{0});
}

TEST(FailedRanks, TheSameErrorOnEveryRankIsAnOrdinaryOne) {
  JobSketch sketch(2);
  fails(sketch, 0, "KeyError: 'label'", 1'000);
  fails(sketch, 1, "KeyError: 'label'", 1'100);
  const auto finding = find_failed_ranks(sketch.job);
  EXPECT_EQ(finding->scope, model::Scope::kOrdinary);
  EXPECT_EQ(finding->root_ranks, (std::vector<int>{0, 1}));
}

TEST(FailedRanks, AHealthyJobHasNone) {
  EXPECT_FALSE(find_failed_ranks(JobSketch(3).job));
}

}  // namespace
}  // namespace lockstep::ranks
