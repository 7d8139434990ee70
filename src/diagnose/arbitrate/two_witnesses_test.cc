#include <gtest/gtest.h>

#include "diagnose/arbitrate/testing/story_parts.h"

namespace lockstep::diagnose {
namespace {

using model::Finding;
using model::Leaf;
using testing::apply_named;
using testing::Codes;
using testing::codes_of;
using testing::found;
using testing::printed;
using testing::Steps;
using testing::steps_of;
using testing::story_of;

const Finding kMissing = found(Leaf::kPerfHang, "desync.missing_rank", 0.95, {2});
const Finding kCrash = printed(found(Leaf::kRunSegv, "segv.signal", 0.5));

Finding dead_rank(std::vector<int> roots) {
  Finding dead = found(Leaf::kRunComm, "desync.dead_rank", 0.95, std::move(roots));
  dead.victim_ranks = {7};
  return dead;
}

Finding killed(std::vector<int> roots) {
  return printed(found(Leaf::kRunMem, "mem.killed", 0.9, std::move(roots)));
}

Story after(std::string_view rule, std::vector<Finding> ranks, std::vector<Finding> logs) {
  Story story = story_of(std::move(ranks), std::move(logs));
  apply_named(rule, story);
  return story;
}

TEST(TwoWitnesses, WhatIsShownAndPrintedIsToldOnce) {
  const Finding shown = found(Leaf::kPerfSlow, "slow.rate_falls", 0.7, {1});
  const Finding told = printed(found(Leaf::kPerfSlow, "slow.rate_falls", 0.5, {1}));
  const Story story = after("told_twice", {shown}, {told});
  EXPECT_TRUE(story.logs.empty());
  EXPECT_EQ(story.ranks[0].finding.evidence.size(), 1U);
  EXPECT_EQ(story.ranks[0].finding.confidence, 0.7);
  EXPECT_EQ(steps_of(story.decisions), Steps{"slow.rate_falls into slow.rate_falls"});
  Finding of_another = told;
  of_another.root_ranks = {0};
  EXPECT_EQ(after("told_twice", {shown}, {of_another}).logs.size(), 1U) << "it is about another rank";
}

TEST(TwoWitnesses, ACrashWithoutARankIsThatOfTheRankThatDied) {
  const Story story = after("crash_of_lost_rank", {dead_rank({1})}, {kCrash});
  EXPECT_EQ(story.logs[0].finding.root_ranks, std::vector<int>{1});
  EXPECT_EQ(story.logs[0].finding.victim_ranks, std::vector<int>{7});
  EXPECT_EQ(steps_of(story.decisions), Steps{"segv.signal ranks desync.dead_rank"});
  EXPECT_TRUE(after("crash_of_lost_rank", {dead_rank({1, 2})}, {kCrash}).decisions.empty()) << "two died";
  EXPECT_TRUE(after("crash_of_lost_rank", {kMissing}, {kCrash}).decisions.empty()) << "nobody died";
  const Finding named = printed(found(Leaf::kRunSegv, "segv.signal", 0.5), 0);
  EXPECT_TRUE(after("crash_of_lost_rank", {dead_rank({1})}, {named}).decisions.empty())
      << "its line has a rank";
}

TEST(TwoWitnesses, TheLauncherKnowsWhichRankWasKilledFirst) {
  const Story story = after("launchers_word", {dead_rank({1, 2})}, {killed({0})});
  EXPECT_EQ(story.ranks[0].finding.root_ranks, std::vector<int>{0});
  EXPECT_EQ(story.ranks[0].finding.title, "Rank 0 was killed first, by the launcher's word");
  EXPECT_EQ(steps_of(story.decisions), Steps{"desync.dead_rank ranks mem.killed"});
  EXPECT_TRUE(after("launchers_word", {dead_rank({0})}, {killed({0})}).decisions.empty()) << "they agree";
  EXPECT_TRUE(after("launchers_word", {dead_rank({1})}, {killed({})}).decisions.empty()) << "it names nobody";
  EXPECT_TRUE(after("launchers_word", {dead_rank({1})}, {killed({0, 2})}).decisions.empty())
      << "nor one first";
}

TEST(TwoWitnesses, ASignalAloneIsNoWordAboutMemory) {
  const Story story = after("killed_process", {dead_rank({1})}, {killed({}), kCrash});
  EXPECT_EQ(codes_of(story.logs), Codes{"segv.signal"});
  EXPECT_EQ(story.ranks[0].finding.evidence.size(), 1U) << "the launcher's line stays";
  EXPECT_EQ(steps_of(story.decisions), Steps{"mem.killed into desync.dead_rank"});
  EXPECT_EQ(after("killed_process", {kMissing}, {killed({})}).logs.size(), 1U) << "no rank died";
  EXPECT_EQ(after("killed_process", {dead_rank({1})}, {killed({0, 1})}).logs.size(), 1U)
      << "several were killed";
}

TEST(TwoWitnesses, APrintedErrorIsACauseFromSixtyPercentOnOrWhereItIsConfirmed) {
  const auto cause = [](std::vector<Finding> ranks, double confidence, Leaf leaf = Leaf::kRunSegv) {
    return after("printed_cause", std::move(ranks), {printed(found(leaf, "segv.signal", confidence))})
        .printed_cause.has_value();
  };
  EXPECT_TRUE(cause({}, 0.6));
  EXPECT_FALSE(cause({}, 0.59));
  EXPECT_TRUE(cause({found(Leaf::kRunSegv, "process.ended", 0.6)}, 0.3))
      << "the process ended by that signal";
  EXPECT_FALSE(cause({found(Leaf::kRunSegv, "desync.dead_rank", 0.6)}, 0.3));
  EXPECT_FALSE(cause({found(Leaf::kRunOther, "process.ended", 0.6)}, 0.3, Leaf::kRunOther))
      << "that it ended with an error confirms no particular one";
}

TEST(TwoWitnesses, ComplaintsAboutWaitingJoinTheProof) {
  Finding stall = found(Leaf::kPerfHang, "hang.horovod_stall", 0.9);
  for (int line = 1; line <= 9; ++line) stall = printed(std::move(stall), 0);
  const Story story = after("complaint_about_waiting", {kMissing}, {stall});
  EXPECT_TRUE(story.logs.empty());
  EXPECT_EQ(story.ranks[0].finding.evidence.size(), 2U) << "of many lines the first two";
  EXPECT_EQ(steps_of(story.decisions), Steps{"hang.horovod_stall into desync.missing_rank"});

  Finding doubtful = kMissing;
  doubtful.confidence = 0.59;
  EXPECT_EQ(after("complaint_about_waiting", {doubtful}, {stall}).logs.size(), 1U) << "that proves nothing";
  const Finding error = printed(found(Leaf::kRunMem, "mem.gpu", 0.9));
  EXPECT_EQ(after("complaint_about_waiting", {kMissing}, {error}).logs.size(), 1U) << "an error of its own";
}

TEST(TwoWitnesses, WhatALostRankCouldNotCommunicateIsNoComplaint) {
  const Finding of_lost = printed(found(Leaf::kRunComm, "comm.same_name", 0.6, {1}), 1);
  const Finding of_other = printed(found(Leaf::kRunComm, "comm.reset", 0.9, {0}), 0);
  const Story story = after("complaint_about_waiting", {dead_rank({1})}, {of_lost, of_other});
  EXPECT_EQ(codes_of(story.logs), Codes{"comm.same_name"});
}

Finding failure_of(std::vector<int> roots, std::vector<int> victims) {
  Finding one = found(Leaf::kRunOther, "process.failed", 0.6, std::move(roots));
  one.victim_ranks = std::move(victims);
  return one;
}

TEST(TwoWitnesses, TheOneRankThatFailedIsTheRankALaunchersLineIsAbout) {
  const auto roots = [](const Finding& ended, const Finding& told) {
    Story story = story_of({ended}, {told});
    apply_named("printed_cause", story);
    apply_named("rank_of_the_failure", story);
    EXPECT_EQ(story.decisions.empty(), story.logs[0].finding.root_ranks.empty());
    return story.logs[0].finding.root_ranks;
  };
  EXPECT_EQ(roots(failure_of({1}, {}), killed({})), std::vector<int>{1});
  EXPECT_TRUE(roots(failure_of({1}, {}), printed(killed({}), 0)).empty()) << "the line has a rank of its own";
  EXPECT_TRUE(roots(failure_of({1}, {0}), killed({})).empty()) << "two ranks failed";
  Finding doubtful = killed({});
  doubtful.confidence = 0.3;
  EXPECT_TRUE(roots(failure_of({1}, {}), doubtful).empty()) << "it is no cause";
}

TEST(TwoWitnesses, WhyAProcessEndedIsMoreThanThatItDid) {
  Story story = story_of({failure_of({1}, {}), kMissing}, {printed(found(Leaf::kRunMem, "mem.gpu", 0.9))});
  apply_named("exit_status", story);
  EXPECT_EQ(story.ranks.size(), 2U) << "nobody said that there is a cause";
  apply_named("printed_cause", story);
  apply_named("exit_status", story);
  EXPECT_EQ(codes_of(story.ranks), Codes{"desync.missing_rank"});
  EXPECT_EQ(steps_of(story.decisions), Steps{"process.failed dropped mem.gpu"});
}

}  // namespace
}  // namespace lockstep::diagnose
