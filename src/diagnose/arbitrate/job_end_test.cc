#include <gtest/gtest.h>

#include "diagnose/arbitrate/arbitrate.h"
#include "diagnose/arbitrate/testing/story_parts.h"

namespace lockstep::diagnose {
namespace {

using model::Finding;
using model::Leaf;
using model::RankEnd;
using testing::apply_named;
using testing::Codes;
using testing::codes_of;
using testing::found;
using testing::printed;
using testing::Steps;
using testing::steps_of;
using testing::story_of;

const Finding kDead = printed(found(Leaf::kRunComm, "desync.dead_rank", 0.95, {1}), 1, "rank_1.lockstep");
const Finding kStuck =
    printed(found(Leaf::kPerfHang, "desync.stuck_in_collective", 0.7), 0, "rank_0.lockstep");
const Finding kStraggler = found(Leaf::kPerfSlow, "straggler.rank", 0.8, {2});
const Finding kSignal = printed(found(Leaf::kPerfOther, "sched.death_signal", 0.5));
const Finding kConnection = printed(found(Leaf::kSetupFail, "setup.grpc_connect", 0.97));

model::Job job_that_ended(std::vector<RankEnd> ends, int world, int restart = 0) {
  model::Job job;
  job.world_size = world;
  for (const RankEnd end : ends) {
    job.ranks.emplace_back().rank.number = static_cast<int>(job.ranks.size()) - 1;
    job.ranks.back().rank.end = end;
    job.ranks.back().rank.restart = restart;
  }
  return job;
}

model::RankHistory with_a_collective(model::EventState state) {
  model::RankHistory history;
  model::Event event;
  event.kind = model::EventKind::kCollective;
  event.state = state;
  history.events = {event};
  return history;
}

TEST(JobFate, ACleanExitNeedsEveryRankOfTheWorld) {
  const auto exited_cleanly = [](std::vector<RankEnd> ends, int world) {
    return fate_of(job_that_ended(std::move(ends), world)).exited_cleanly;
  };
  EXPECT_TRUE(exited_cleanly({RankEnd::kClean, RankEnd::kClean}, 2));
  EXPECT_FALSE(exited_cleanly({RankEnd::kClean, RankEnd::kClean}, 3)) << "one was not seen";
  EXPECT_FALSE(exited_cleanly({RankEnd::kClean, RankEnd::kExited}, 2));
  EXPECT_FALSE(exited_cleanly({RankEnd::kClean, RankEnd::kUnknown}, 2));
  EXPECT_FALSE(exited_cleanly({}, 0));
}

TEST(JobFate, RanksHaveMetThatAllFinishedACollective) {
  model::Job job;
  job.ranks = {with_a_collective(model::EventState::kCompleted)};
  EXPECT_FALSE(fate_of(job).had_met) << "one alone meets nobody";
  job.ranks.push_back(with_a_collective(model::EventState::kIssued));
  EXPECT_FALSE(fate_of(job).had_met);
  job.ranks.back() = with_a_collective(model::EventState::kCompleted);
  EXPECT_TRUE(fate_of(job).had_met);
}

TEST(JobFate, AFaultIsOvercomeWhenTheRestartedJobEndedWell) {
  EXPECT_TRUE(fate_of(job_that_ended({RankEnd::kClean, RankEnd::kClean}, 2, 1)).was_overcome);
  EXPECT_FALSE(fate_of(job_that_ended({RankEnd::kClean, RankEnd::kClean}, 2, 0)).was_overcome);
  EXPECT_FALSE(fate_of(job_that_ended({RankEnd::kClean, RankEnd::kExited}, 2, 1)).was_overcome);
  EXPECT_FALSE(fate_of(job_that_ended({}, 0)).was_overcome);
}

TEST(JobEndRules, AnInterruptionIsTakenOutOfWhatWasSeen) {
  std::vector<Finding> seen = {kStraggler, found(Leaf::kPerfOther, "sched.interrupted", 0.9)};
  EXPECT_EQ(take_interruption(seen)->code, "sched.interrupted");
  EXPECT_EQ(seen, std::vector<Finding>{kStraggler});
  EXPECT_FALSE(take_interruption(seen));
}

TEST(JobEndRules, AnInterruptionLeavesFaultsThatAreNotTheEndItself) {
  Story story = story_of({kStuck, kDead, found(Leaf::kRunOther, "process.ended", 0.6), kStraggler}, {});
  Story alone = story;
  apply_named("interruption", alone);
  EXPECT_EQ(alone.decisions, std::vector<model::Decision>()) << "nobody ended the job";
  EXPECT_EQ(alone.ranks.size(), 4U);

  story.interruption = found(Leaf::kPerfOther, "sched.interrupted", 0.9);
  apply_named("interruption", story);
  EXPECT_EQ(codes_of(story.ranks), (Codes{"straggler.rank", "sched.interrupted"}));
  EXPECT_EQ(steps_of(story.decisions),
            (Steps{"desync.stuck_in_collective dropped sched.interrupted",
                   "desync.dead_rank dropped sched.interrupted", "process.ended dropped sched.interrupted",
                   "sched.interrupted added"}));
}

TEST(JobEndRules, AWorldOfOneComesBeforeWhatElseTheRanksShow) {
  Story story = story_of({kStraggler}, {});
  apply_named("world_size_one", story);
  EXPECT_EQ(codes_of(story.ranks), Codes{"straggler.rank"}) << "there is none";
  story.world_size_one = found(Leaf::kPerfParallel, "parallel.world_of_one", 0.9);
  apply_named("world_size_one", story);
  EXPECT_EQ(codes_of(story.ranks), (Codes{"parallel.world_of_one", "straggler.rank"}));
  EXPECT_EQ(steps_of(story.decisions), Steps{"parallel.world_of_one before straggler.rank"});
}

TEST(JobEndRules, SilentProcessesStandByTheirConfidence) {
  const Finding slow = printed(found(Leaf::kPerfSlow, "slow.rate_falls", 0.45));
  const Finding guess = found(Leaf::kRunTensor, "leaf.run_tensor", 0.2);
  Story story = story_of({}, {slow, guess});
  apply_named("silent_processes", story);
  EXPECT_EQ(story.logs.size(), 2U);
  story.silence = printed(found(Leaf::kPerfHang, "hang.silent", 0.4));
  apply_named("silent_processes", story);
  EXPECT_EQ(codes_of(story.logs), (Codes{"slow.rate_falls", "hang.silent", "leaf.run_tensor"}));
  EXPECT_EQ(steps_of(story.decisions), Steps{"hang.silent before leaf.run_tensor"});
  Story equal = story_of({}, {slow});
  equal.silence = printed(found(Leaf::kPerfHang, "hang.silent", 0.45));
  apply_named("silent_processes", equal);
  EXPECT_EQ(codes_of(equal.logs), (Codes{"hang.silent", "slow.rate_falls"}))
      << "of equal ones it is the first";
}

TEST(JobEndRules, WhatTheDeathSignalExplainsIsTheEnd) {
  Story story = story_of({kDead, kStuck, kStraggler}, {kSignal});
  apply_named("death_signal", story);
  EXPECT_EQ(codes_of(story.ranks), Codes{"straggler.rank"});
  EXPECT_EQ(story.logs.front().finding.confidence, 0.75);
  EXPECT_EQ(story.logs.front().finding.evidence.size(), 3U) << "what it explains is its evidence";
  EXPECT_EQ(steps_of(story.decisions), (Steps{"desync.dead_rank into sched.death_signal",
                                              "sched.death_signal confidence desync.dead_rank",
                                              "desync.stuck_in_collective into sched.death_signal"}));
}

TEST(JobEndRules, ADeathSignalExplainsNoHangThatSomebodySaw) {
  Story seen = story_of({kStuck}, {kSignal});
  seen.was_seen_live = true;
  apply_named("death_signal", seen);
  EXPECT_EQ(seen.ranks.size(), 1U);
  Story stacks =
      story_of({printed(found(Leaf::kPerfHang, "desync.missing_rank", 0.9), 1, "rank_1.txt")}, {kSignal});
  apply_named("death_signal", stacks);
  EXPECT_EQ(stacks.ranks.size(), 1U) << "who takes stacks has seen it hang";
  Story second = story_of({kDead}, {kConnection, kSignal});
  apply_named("death_signal", second);
  EXPECT_EQ(second.ranks.size(), 1U) << "the logs tell of something else first";
}

TEST(JobEndRules, WhatAnEarlierAttemptPrintedIsOver) {
  Story story = story_of({}, {kConnection});
  apply_named("earlier_attempt", story);
  EXPECT_EQ(story.logs.size(), 1U) << "there was one attempt";
  Story found_again = story_of({kStraggler}, {kConnection});
  found_again.fate.was_overcome = story.fate.was_overcome = true;
  apply_named("earlier_attempt", found_again);
  EXPECT_EQ(found_again.logs.size(), 1U) << "the last attempt is not without fault";
  apply_named("earlier_attempt", story);
  EXPECT_TRUE(story.logs.empty());
  EXPECT_EQ(story.limits_of_ranks.size(), 1U);
  EXPECT_EQ(steps_of(story.decisions), Steps{"setup.grpc_connect dropped"});
}

TEST(JobEndRules, ACleanExitCaughtFailuresAndNoSlowness) {
  const Finding slow = printed(found(Leaf::kPerfResult, "result.nan", 0.8));
  const Finding proto = printed(found(Leaf::kSetupProto, "proto.slow", 0.8));
  const Finding other = printed(found(Leaf::kRunOther, "other.exception", 0.9));
  const Finding package = printed(found(Leaf::kPkgImport, "import.no_module", 0.9));
  const Finding guess = found(Leaf::kPerfResult, "leaf.perf_result", 0.3);
  Story story = story_of({}, {other, slow, package, proto, guess});
  apply_named("clean_exit", story);
  EXPECT_EQ(story.logs.size(), 5U) << "the job did not end cleanly";
  story.fate.exited_cleanly = true;
  apply_named("clean_exit", story);
  EXPECT_EQ(codes_of(story.logs), (Codes{"result.nan", "proto.slow"}));
  EXPECT_EQ(steps_of(story.decisions),
            (Steps{"other.exception dropped", "import.no_module dropped", "leaf.perf_result dropped"}));
  std::vector<Finding> listed = {other, slow, package, proto, guess};
  drop_caught_failures(listed);
  EXPECT_EQ(listed, (std::vector<Finding>{slow, proto})) << "the same of a verdict that is done";
}

TEST(JobEndRules, TheErrorOfARankThatHadMetComesBeforeTheConnectionsItsEndBroke) {
  const Finding reset = printed(found(Leaf::kRunComm, "comm.reset", 0.5));
  const Finding attribute = printed(found(Leaf::kRunAttr, "attr.object", 0.12));
  Story story = story_of({}, {kConnection, reset, attribute});
  apply_named("ranks_had_met", story);
  EXPECT_EQ(story.decisions.size(), 0U) << "they may never have been connected";
  story.fate.had_met = true;
  apply_named("ranks_had_met", story);
  EXPECT_EQ(codes_of(story.logs), (Codes{"attr.object", "setup.grpc_connect", "comm.reset"}));
  EXPECT_EQ(story.logs[0].finding.confidence, 0.97);
  EXPECT_EQ(story.logs[1].finding.confidence, 0.12);
  EXPECT_EQ(steps_of(story.decisions),
            (Steps{"attr.object before setup.grpc_connect", "attr.object confidence setup.grpc_connect",
                   "setup.grpc_connect confidence attr.object"}));
  Story without = story_of({}, {kConnection, reset});
  without.fate.had_met = true;
  apply_named("ranks_had_met", without);
  EXPECT_EQ(without.logs[0].finding, kConnection) << "no other error: the connection is what failed";
}

TEST(JobEndRules, MoreIsAskedForWhereTheRanksShowNothingClear) {
  const auto asked = [](double confidence) {
    Story story = story_of({found(Leaf::kPerfSlow, "straggler.rank", confidence)}, {});
    story.collect_next = {"py-spy dump"};
    apply_named("collect_next", story);
    return story.limits_of_logs;
  };
  EXPECT_EQ(asked(0.49), std::vector<std::string>{"to learn more: py-spy dump"});
  EXPECT_TRUE(asked(0.5).empty());
}

}  // namespace
}  // namespace lockstep::diagnose
