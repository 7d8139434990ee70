#include "diagnose/quiet_job.h"

#include <vector>

#include <gtest/gtest.h>

namespace lockstep::diagnose {

namespace {

using evidence::Activity;
using evidence::Doing;

constexpr long kFutex = 202;
constexpr long kSleep = 230;

Activity waiting(pid_t pid, long in) {
  return {.pid = pid, .doing = Doing::kWaits, .cpu_seconds = 1, .waits_in = in};
}
Activity asking(pid_t pid) {
  return {.pid = pid, .doing = Doing::kPolls, .cpu_seconds = 1, .waits_in = std::nullopt};
}

const RankByProcess kFour = {{10, 0}, {11, 1}, {12, 2}, {13, 3}};

TEST(OddOne, WaitsInAnotherCall) {
  const std::vector<Activity> seen = {waiting(10, kFutex), waiting(11, kFutex), waiting(12, kSleep),
                                      waiting(13, kFutex)};
  EXPECT_EQ(odd_one_in(kFour, seen), 2);
}

TEST(OddOne, WaitsWhileAllOthersAsk) {
  const std::vector<Activity> seen = {asking(10), waiting(11, kSleep), asking(12), asking(13)};
  EXPECT_EQ(odd_one_in(kFour, seen), 1);
}

TEST(OddOne, IsNobodyWhereAllAreAlike) {
  const std::vector<Activity> seen = {waiting(10, kFutex), waiting(11, kFutex), waiting(12, kFutex)};
  EXPECT_EQ(odd_one_in(kFour, seen), std::nullopt);
}

TEST(OddOne, IsNobodyOfTwoAndOfTwoCamps) {
  EXPECT_EQ(odd_one_in(kFour, std::vector<Activity>{waiting(10, kFutex), waiting(11, kSleep)}), std::nullopt);
  const std::vector<Activity> camps = {waiting(10, kFutex), waiting(11, kSleep), waiting(12, kFutex),
                                       waiting(13, kSleep)};
  EXPECT_EQ(odd_one_in(kFour, camps), std::nullopt);
}

TEST(OddOne, AskedAloneItMayJustBeLate) {
  const std::vector<Activity> seen = {waiting(10, kFutex), asking(11), waiting(12, kFutex)};
  EXPECT_EQ(odd_one_in(kFour, seen), std::nullopt);
}

TEST(OddOne, HelpersOfARankDoNotSpeakForIt) {
  const RankByProcess with_helper = {{10, 0}, {11, 1}, {12, 2}, {20, 2}};
  const std::vector<Activity> seen = {waiting(10, kFutex), waiting(11, kFutex), waiting(12, kFutex),
                                      waiting(20, kSleep)};
  EXPECT_EQ(odd_one_in(with_helper, seen), std::nullopt);
}

TEST(RanksOf, TheLogThatAProcessAloneWritesIsItsOwn) {
  const std::vector<LogPlace> logs = {{.path = "rank_0.out", .rank = 0}, {.path = "rank_1.out", .rank = 1}};
  const std::vector<evidence::WrittenLog> written = {
      {.log = 0, .life = {}, .writers = {10, 9}, .processes = {9, 10, 11}},
      {.log = 1, .life = {}, .writers = {11, 9}, .processes = {9, 10, 11}}};
  const std::vector<Activity> seen = {waiting(9, kFutex), waiting(10, kFutex), waiting(11, kFutex)};
  const process::Roots nowhere{.proc = "/nowhere", .sys = "/nowhere"};
  EXPECT_EQ(ranks_of(nowhere, logs, written, seen), (RankByProcess{{10, 0}, {11, 1}}));
}

using logs::Stage;

std::optional<model::Finding> said_of(const QuietJob& job, Stage stage) {
  static const auto catalogue = catalogue::Catalogue::load();
  model::Evidence last_line;
  last_line.text = "step 3";
  return finding_about(job, stage, catalogue.value(), last_line);
}

QuietJob waiting(Seconds silence) {
  QuietJob job;
  job.state = JobState::kWaits;
  job.silence = silence;
  job.usual_gap = Seconds(0.25);
  job.other_ranks = {0, 1, 2};
  job.processes = {11, 12, 13};
  return job;
}

TEST(QuietFinding, TheStageSaysWhichHangItIs) {
  EXPECT_EQ(said_of(waiting(Seconds(9)), Stage::kTrain)->leaf, model::Leaf::kPerfHang);
  EXPECT_EQ(said_of(waiting(Seconds(9)), Stage::kPrepare)->leaf, model::Leaf::kPrepHang);
  EXPECT_EQ(said_of(waiting(Seconds(9)), Stage::kSetup)->leaf, model::Leaf::kSetupHang);
}

TEST(QuietFinding, AProgramThatDoesNotTrainMayBeSilent) {
  EXPECT_FALSE(said_of(waiting(Seconds(9)), Stage::kUnknown));
  QuietJob ranks = waiting(Seconds(40));
  ranks.has_ranks = true;
  EXPECT_EQ(said_of(ranks, Stage::kUnknown)->leaf, model::Leaf::kSetupHang);
}

TEST(QuietFinding, AShortSilenceIsNoProof) {
  EXPECT_LT(said_of(waiting(Seconds(9)), Stage::kTrain)->confidence, 0.5);
  EXPECT_GE(said_of(waiting(Seconds(90)), Stage::kTrain)->confidence, 0.5);
}

TEST(QuietFinding, AStoppedRankBeganIt) {
  QuietJob job = waiting(Seconds(9));
  job.state = JobState::kStopped;
  job.stopped_ranks = {1};
  job.other_ranks = {0, 2};
  job.stopped_processes = 1;
  const auto finding = said_of(job, Stage::kTrain);
  EXPECT_EQ(finding->code, "desync.stopped_rank");
  EXPECT_EQ(finding->root_ranks, std::vector<int>{1});
  EXPECT_EQ(finding->victim_ranks, (std::vector<int>{0, 2}));
  EXPECT_NE(finding->explanation.find("of rank 1 (pid 11) is stopped"), std::string::npos);
  EXPECT_FALSE(finding->fixes.empty());
}

TEST(QuietFinding, ARankThatIsGoneBeganIt) {
  QuietJob job = waiting(Seconds(9));
  job.ended_ranks = {2};
  EXPECT_EQ(said_of(job, Stage::kTrain)->code, "desync.ended_early");
  EXPECT_EQ(said_of(job, Stage::kTrain)->root_ranks, std::vector<int>{2});
}

TEST(QuietFinding, SaysHowToSeeMore) {
  EXPECT_EQ(
      how_to_see_more(waiting(Seconds(9))),
      "mkdir stacks; for pid in 11 12 13; do py-spy dump --pid $pid > stacks/$pid.txt; done   # and give "
      "`lockstep diagnose` that folder too");
}

}  // namespace

}  // namespace lockstep::diagnose
