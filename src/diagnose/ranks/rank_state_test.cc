#include "diagnose/ranks/rank_state.h"

#include <gtest/gtest.h>

#include "diagnose/ranks/testing/job_sketch.h"

namespace lockstep::ranks {
namespace {

using testing::JobSketch;

Place place_with_stack(const model::Stack& stack) {
  JobSketch sketch(1);
  sketch.history(0).snapshots.push_back(
      {.thread_name = "MainThread", .stack = sketch.job.stacks.intern(stack), .is_main = true});
  return rank_state_of(sketch.job, 0).place;
}

TEST(RankState, AreReadFromTheStack) {
  EXPECT_EQ(
      place_with_stack({{"wait", "threading.py", 1}, {"_next_data", "torch/utils/data/dataloader.py", 9}}),
      Place::kDataLoading);
  EXPECT_EQ(place_with_stack({{"write", "zip.py", 1}, {"save", "torch/serialization.py", 9}}),
            Place::kCheckpoint);
  EXPECT_EQ(place_with_stack({{"compile", "torch/_inductor/compile_fx.py", 1}}), Place::kCompiling);
  EXPECT_EQ(place_with_stack({{"step", "train.py", 3}}), Place::kElsewhere);
}

TEST(RankState, AnErrorSaysMoreThanAStack) {
  JobSketch sketch(1);
  sketch.history(0).failures.push_back({.message = "ValueError: x", .time_ns = 1});
  EXPECT_EQ(rank_state_of(sketch.job, 0).place, Place::kFailed);
  EXPECT_EQ(rank_state_of(sketch.job, 0).evidence->text, "ValueError: x");
}

TEST(RankState, AnActivityThatHasNotEndedIsWhereItIs) {
  JobSketch sketch(1);
  model::Event saving;
  saving.kind = model::EventKind::kActivity;
  saving.activity = model::Activity::kCheckpointSave;
  saving.begin_ns = 5;
  sketch.history(0).events.push_back(saving);
  EXPECT_EQ(rank_state_of(sketch.job, 0).place, Place::kCheckpoint);
  sketch.history(0).events.back().end_ns = 9;
  EXPECT_EQ(rank_state_of(sketch.job, 0).place, Place::kElsewhere);
}

TEST(Stack, IsToldOfTheMainThreadAlone) {
  JobSketch sketch(2);
  sketch.history(0).snapshots = {{.thread_name = "loader",
                                  .stack = sketch.job.stacks.intern({{"run", "loader.py", 3}}),
                                  .is_main = false},
                                 {.thread_name = "MainThread",
                                  .stack = sketch.job.stacks.intern(
                                      {{"load_batch", "/job/train.py", 42}, {"main", "/job/train.py", 80}}),
                                  .is_main = true}};
  ASSERT_TRUE(stack_of(sketch.job, 0));
  EXPECT_EQ(stack_of(sketch.job, 0)->text, "train.py:42 in load_batch < train.py:80 in main");
  EXPECT_EQ(stack_of(sketch.job, 0)->rank, 0);
  EXPECT_FALSE(stack_of(sketch.job, 1));
}

TEST(RankState, ARankWithoutGoodbyeWhoseConnectionWasLostIsDead) {
  JobSketch sketch(3);
  sketch.history(0).failures.push_back({.message = "Read error: Connection reset by peer", .time_ns = 5});
  sketch.history(2).failures.push_back({.message = "Connection closed by peer", .time_ns = 6});
  sketch.history(1).events.push_back({});
  EXPECT_EQ(rank_state_of(sketch.job, 1).place, Place::kDead);
  sketch.history(1).rank.liveness = model::Liveness::kAlive;
  EXPECT_NE(rank_state_of(sketch.job, 1).place, Place::kDead);
}

TEST(RankState, GrpcTellsOfALostConnectionInTwoWays) {
  for (const char* message :
       {"UnavailableError: Socket closed", "UnavailableError: Connection reset by peer"}) {
    JobSketch sketch(2);
    sketch.history(0).failures.push_back({.message = message, .time_ns = 5});
    sketch.history(1).events.push_back({});
    EXPECT_EQ(rank_state_of(sketch.job, 1).place, Place::kDead) << message;
  }
}

TEST(RankState, ARankForWhichTheOthersFirstRanOutOfTimeMayBeLate) {
  JobSketch sketch(3);
  sketch.history(0).failures.push_back({.message = "timed out after 1800000 ms", .time_ns = 4});
  sketch.history(2).failures.push_back({.message = "Connection closed by peer", .time_ns = 6});
  sketch.history(1).events.push_back({});
  EXPECT_EQ(rank_state_of(sketch.job, 1).place, Place::kElsewhere);
}

TEST(RankState, ALostConnectionAfterAnotherRankFailedIsNoFailureOfItsOwn) {
  JobSketch sketch(2);
  sketch.history(0).failures.push_back({.message = "timed out after 6000 ms", .time_ns = 4});
  sketch.history(1).failures.push_back({.message = "Connection closed by peer", .time_ns = 9});
  sketch.history(1).events.push_back({});
  sketch.history(1).rank.end = model::RankEnd::kExited;
  EXPECT_EQ(rank_state_of(sketch.job, 1).place, Place::kElsewhere);
  sketch.history(0).failures.front().time_ns = 10;
  EXPECT_EQ(rank_state_of(sketch.job, 1).place, Place::kFailed);
}

TEST(RankState, ARankThatItsLauncherEndedDidNotFailByItself) {
  JobSketch sketch(2);
  sketch.history(1).rank.end = model::RankEnd::kSignalled;
  sketch.history(1).rank.exit_status = 15;
  sketch.history(1).failures.push_back({.message = "Signal 15 (SIGTERM) received by PID 7", .time_ns = 9});
  sketch.history(1).events.push_back({});
  EXPECT_EQ(rank_state_of(sketch.job, 1).place, Place::kElsewhere);
  sketch.history(1).rank.exit_status = 9;
  EXPECT_EQ(rank_state_of(sketch.job, 1).place, Place::kFailed);
}

TEST(RankState, OfARankThatLeftNothingNothingIsKnown) {
  JobSketch sketch(2);
  sketch.forget(1);
  EXPECT_EQ(rank_state_of(sketch.job, 1).place, Place::kNoEvidence);
}

}  // namespace
}  // namespace lockstep::ranks
