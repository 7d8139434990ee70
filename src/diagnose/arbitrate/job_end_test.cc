#include "diagnose/arbitrate/job_end.h"

#include <gtest/gtest.h>

namespace lockstep::diagnose {

namespace {

using model::Finding;
using model::Leaf;

Finding finding(Leaf leaf, const std::string& code, const std::string& file = "rank_0.lockstep") {
  Finding one;
  one.leaf = leaf;
  one.code = code;
  one.evidence.push_back({.file = file, .line = 1, .rank = 0, .text = ""});
  return one;
}

TEST(Interruption, IsTakenOutOfWhatWasSeen) {
  std::vector<Finding> seen = {finding(Leaf::kPerfSlow, "straggler.rank"),
                               finding(Leaf::kPerfOther, "sched.interrupted")};
  EXPECT_EQ(take_interruption(seen)->code, "sched.interrupted");
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen.front().code, "straggler.rank");
  EXPECT_FALSE(take_interruption(seen));
}

TEST(Interruption, LeavesWaitsThatAreNoFaultAndFaultsThatAre) {
  std::vector<Finding> found = {
      finding(Leaf::kPerfHang, "desync.stuck_in_collective"), finding(Leaf::kRunComm, "desync.dead_rank"),
      finding(Leaf::kRunOther, "process.ended"), finding(Leaf::kPerfSlow, "straggler.rank")};
  drop_what_the_end_left(found);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().code, "straggler.rank");
}

TEST(Interruption, RanksThatWentWhenTheLauncherWasToldToEndAreNoFault) {
  std::vector<Finding> printed = {finding(Leaf::kPerfOther, "sched.death_signal")};
  std::vector<Finding> ranks = {finding(Leaf::kRunComm, "desync.dead_rank"),
                                finding(Leaf::kPerfHang, "desync.stuck_in_collective")};
  fold_into_the_signal(ranks, false, printed);
  EXPECT_TRUE(ranks.empty());
  EXPECT_GT(printed.front().confidence, 0.5);
}

TEST(Interruption, AHangThatWasSeenStaysWhenTheLauncherIsToldToEnd) {
  std::vector<Finding> printed = {finding(Leaf::kPerfOther, "sched.death_signal")};
  std::vector<Finding> ranks = {finding(Leaf::kPerfHang, "desync.missing_rank")};
  fold_into_the_signal(ranks, true, printed);
  EXPECT_EQ(ranks.size(), 1U);
  std::vector<Finding> stacks = {finding(Leaf::kPerfHang, "desync.missing_rank", "rank_1.txt")};
  fold_into_the_signal(stacks, false, printed);
  EXPECT_EQ(stacks.size(), 1U) << "who takes stacks has seen it hang";
}

using model::RankEnd;

model::Job job_that_ended(std::vector<RankEnd> ends, int world) {
  model::Job job;
  job.world_size = world;
  for (const RankEnd end : ends) {
    job.ranks.emplace_back().rank.number = static_cast<int>(job.ranks.size()) - 1;
    job.ranks.back().rank.end = end;
  }
  return job;
}

TEST(GoodEnd, NeedsEveryRankOfTheWorld) {
  EXPECT_TRUE(all_exited_cleanly(job_that_ended({RankEnd::kClean, RankEnd::kClean}, 2)));
  EXPECT_FALSE(all_exited_cleanly(job_that_ended({RankEnd::kClean, RankEnd::kClean}, 3)))
      << "one was not seen";
  EXPECT_FALSE(all_exited_cleanly(job_that_ended({RankEnd::kClean, RankEnd::kExited}, 2)));
  EXPECT_FALSE(all_exited_cleanly(job_that_ended({RankEnd::kClean, RankEnd::kUnknown}, 2)));
  EXPECT_FALSE(all_exited_cleanly(job_that_ended({}, 0)));
}

TEST(GoodEnd, FailuresAreGotOverAndPerformanceIsNot) {
  std::vector<model::Finding> findings;
  for (const model::Leaf leaf : {model::Leaf::kRunOther, model::Leaf::kPerfResult, model::Leaf::kPkgImport,
                                 model::Leaf::kSetupProto}) {
    findings.emplace_back().leaf = leaf;
  }
  drop_what_they_got_over(findings);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].leaf, model::Leaf::kPerfResult);
  EXPECT_EQ(findings[1].leaf, model::Leaf::kSetupProto);
}

TEST(GoodEnd, GuessesAreNotTold) {
  std::vector<model::Finding> findings(2);
  findings[0].leaf = findings[1].leaf = model::Leaf::kPerfResult;
  findings[0].code = "leaf.perf_result";
  findings[1].code = "result.nan";
  drop_what_they_got_over(findings);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].code, "result.nan");
}

using model::Finding;
using model::Leaf;

Finding printed(Leaf leaf, const std::string& code, double confidence) {
  Finding finding;
  finding.leaf = leaf;
  finding.code = code;
  finding.confidence = confidence;
  finding.evidence.push_back({.file = "job.err", .line = 1, .rank = 1, .text = code});
  return finding;
}

model::RankHistory with_a_collective(model::EventState state) {
  model::RankHistory history;
  model::Event event;
  event.kind = model::EventKind::kCollective;
  event.state = state;
  history.events = {event};
  return history;
}

TEST(MetRanks, AreRanksThatAllFinishedACollective) {
  model::Job job;
  job.ranks = {with_a_collective(model::EventState::kCompleted)};
  EXPECT_FALSE(all_have_met(job)) << "one alone meets nobody";
  job.ranks.push_back(with_a_collective(model::EventState::kIssued));
  EXPECT_FALSE(all_have_met(job));
  job.ranks.back() = with_a_collective(model::EventState::kCompleted);
  EXPECT_TRUE(all_have_met(job));
}

TEST(MetRanks, TheErrorOfARankComesBeforeTheConnectionsThatItsEndBroke) {
  std::vector<Finding> findings = {printed(Leaf::kSetupFail, "setup.grpc_connect", 0.97),
                                   printed(Leaf::kRunComm, "comm.reset", 0.5),
                                   printed(Leaf::kRunAttr, "attr.object", 0.12)};
  put_setup_behind_errors(findings);
  EXPECT_EQ(findings[0].code, "attr.object");
  EXPECT_EQ(findings[0].confidence, 0.97);
  EXPECT_EQ(findings[1].code, "setup.grpc_connect");
  EXPECT_EQ(findings[1].confidence, 0.12);
  EXPECT_EQ(findings[2].code, "comm.reset");
}

TEST(MetRanks, WithoutAnotherErrorTheConnectionIsWhatFailed) {
  std::vector<Finding> findings = {printed(Leaf::kSetupFail, "setup.grpc_connect", 0.97),
                                   printed(Leaf::kRunComm, "comm.reset", 0.5)};
  put_setup_behind_errors(findings);
  EXPECT_EQ(findings[0].code, "setup.grpc_connect");
  EXPECT_EQ(findings[0].confidence, 0.97);
}

}  // namespace

}  // namespace lockstep::diagnose
