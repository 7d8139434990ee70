#include "diagnose/quiet_finding.h"

#include <gtest/gtest.h>

namespace lockstep::diagnose {
namespace {

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
