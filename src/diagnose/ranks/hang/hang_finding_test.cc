#include "diagnose/ranks/hang/hang_finding.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "diagnose/ranks/analyse.h"
#include "diagnose/ranks/testing/job_sketch.h"

namespace lockstep::ranks {
namespace {

using model::EventState;
using testing::JobSketch;

void begin(model::RankHistory& history, model::Activity activity, std::uint64_t number) {
  model::Event event;
  event.kind = model::EventKind::kActivity;
  event.state = EventState::kStarted;
  event.activity = activity;
  event.sequence = number;
  event.begin_ns = static_cast<std::int64_t>(history.events.size() + 1) * JobSketch::kMillisecond;
  history.events.push_back(event);
}

// Ranks 0 and 2 come to a second collective, rank 1 does not.
JobSketch missing_rank_1(EventState state) {
  JobSketch sketch(3);
  for (const int rank : {0, 1, 2}) {
    begin(sketch.history(rank), model::Activity::kEpoch, 2);
    begin(sketch.history(rank), model::Activity::kStep, 40);
    sketch.call(rank, {.communicator = sketch.world(), .sequence = 1});
    if (rank == 1) continue;
    begin(sketch.history(rank), model::Activity::kStep, 41);
    sketch.call(rank, {.communicator = sketch.world(), .sequence = 2, .state = state});
  }
  return sketch;
}

model::Finding only_finding(const model::Job& job) {
  const std::vector<model::Finding> findings = analyse(job);
  EXPECT_EQ(findings.size(), 1U);
  return findings.empty() ? model::Finding{} : findings.front();
}

TEST(HangFinding, SaysInWhichBatchTheRanksAre) {
  const model::Finding finding = only_finding(missing_rank_1(EventState::kIssued).job);
  EXPECT_EQ(finding.code, "desync.missing_rank");
  EXPECT_NE(finding.explanation.find("Rank 1 finished all that it issued"), std::string::npos)
      << finding.explanation;
  EXPECT_NE(finding.explanation.find("Rank 1 is in epoch 2, batch 1; ranks 0 and 2 are in epoch 2, batch 2."),
            std::string::npos)
      << finding.explanation;
}

TEST(HangFinding, ARankRestartedAloneIsClearlyBehind) {
  const auto code_where_others_reach = [](std::uint64_t number) {
    JobSketch sketch(3);
    for (const int rank : {0, 2}) {
      for (std::uint64_t at = 1; at <= number; ++at) {
        sketch.call(rank, {.communicator = sketch.world(),
                           .sequence = at,
                           .state = at == number ? EventState::kIssued : EventState::kCompleted});
      }
    }
    sketch.call(1, {.communicator = sketch.world(), .sequence = 1, .begin_ns = 1'000'000'000});
    return only_finding(sketch.job).code.text();
  };
  EXPECT_EQ(code_where_others_reach(12), "desync.rank_restarted");
  EXPECT_EQ(code_where_others_reach(11), "desync.missing_rank") << "it may only lag";
}

TEST(HangFinding, ARankThatDiedHasOneCodeWhateverTheOthersWaitFor) {
  JobSketch collective = missing_rank_1(EventState::kStarted);
  JobSketch message(2);
  for (const int rank : {0, 1}) message.call(rank, {.communicator = message.world(), .sequence = 1});
  message.call(0, {.communicator = message.world(),
                   .sequence = 1,
                   .operation = model::Operation::kReceive,
                   .state = EventState::kStarted,
                   .peer = 1});
  EXPECT_EQ(only_finding(message.job).code, "point_to_point.unmatched_receive");
  for (JobSketch* sketch : {&collective, &message}) {
    sketch->history(1).rank.liveness = model::Liveness::kDead;
    const model::Finding dead = only_finding(sketch->job);
    EXPECT_EQ(dead.code, "desync.dead_rank");
    EXPECT_EQ(dead.leaf, model::Leaf::kRunComm);
    EXPECT_EQ(dead.root_ranks, std::vector<int>{1});
    sketch->history(1).rank.liveness = model::Liveness::kStopped;
    EXPECT_EQ(only_finding(sketch->job).code, "desync.stopped_rank");
    EXPECT_EQ(only_finding(sketch->job).leaf, model::Leaf::kPerfHang);
  }
}

TEST(HangFinding, ARankThatStandsStillBeforeItWaitsForWhatItPostedIsWhatTheOthersWaitFor) {
  JobSketch sketch(3);
  for (const int rank : {0, 1, 2}) {
    const EventState state = rank == 1 ? EventState::kUntracked : EventState::kStarted;
    sketch.call(rank, {.communicator = sketch.world(), .sequence = 1, .state = state});
  }
  EXPECT_EQ(only_finding(sketch.job).code, "desync.stuck_in_collective");
  sketch.history(1).rank.liveness = model::Liveness::kStopped;
  const model::Finding finding = only_finding(sketch.job);
  EXPECT_EQ(finding.code, "desync.stopped_rank");
  EXPECT_EQ(finding.root_ranks, std::vector<int>{1});
  EXPECT_EQ(finding.victim_ranks, (std::vector<int>{0, 2}));
}

TEST(HangFinding, ARankWhoseCallWasGivenUpBeforeItEndedMayHaveLostTheWayToTheOthers) {
  JobSketch sketch(2);
  sketch.call(0, {.communicator = sketch.world(), .sequence = 1, .state = EventState::kFailed});
  sketch.call(1, {.communicator = sketch.world(), .sequence = 1, .state = EventState::kIssued});
  sketch.history(0).rank.end = model::RankEnd::kExited;
  const model::Finding exited = only_finding(sketch.job);
  EXPECT_EQ(exited.code, "desync.dead_rank");
  EXPECT_EQ(exited.fixes.at(0).pattern, model::FixPattern::kCommunicationConfiguration);
  sketch.history(0).rank.end = model::RankEnd::kSignalled;
  sketch.history(0).rank.exit_status = 9;
  const model::Finding killed = only_finding(sketch.job);
  EXPECT_EQ(killed.code, "desync.dead_rank");
  EXPECT_EQ(killed.fixes.at(0).pattern, model::FixPattern::kOther) << "somebody took it away";
}

TEST(HangFinding, ShowsOnceWhatThoseWereToldWhoGaveUp) {
  JobSketch sketch = missing_rank_1(EventState::kFailed);
  for (const int rank : {0, 2}) {
    sketch.history(rank).failures.push_back({.message = "UNAVAILABLE: Socket closed\nmore",
                                             .time_ns = 9,
                                             .source = static_cast<model::SourceId>(rank),
                                             .position = 7});
  }
  const model::Finding finding = only_finding(sketch.job);
  EXPECT_EQ(finding.root_ranks, std::vector<int>{1});
  EXPECT_EQ(
      std::ranges::count(finding.evidence, "it gave up: UNAVAILABLE: Socket closed", &model::Evidence::text),
      1);
}

TEST(HangFinding, ShowsNoErrorOfARankThatStillWaits) {
  JobSketch sketch = missing_rank_1(EventState::kIssued);
  sketch.history(0).failures.push_back({.message = "an older one", .time_ns = 1});
  for (const model::Finding& finding : analyse(sketch.job)) {
    EXPECT_EQ(std::ranges::count(finding.evidence, "it gave up: an older one", &model::Evidence::text), 0);
  }
}

TEST(HangFinding, OfRanksThatEndedTheOneWhoseCallWasNotGivenUpBeganIt) {
  for (const EventState state : {EventState::kIssued, EventState::kUntracked}) {
    JobSketch sketch(3);
    for (const int rank : {0, 1, 2}) {
      sketch.call(
          rank,
          {.communicator = sketch.world(), .sequence = 1, .state = rank == 1 ? state : EventState::kFailed});
      sketch.history(rank).rank.end = model::RankEnd::kExited;
    }
    const model::Finding finding = only_finding(sketch.job);
    EXPECT_EQ(finding.code, "desync.dead_rank");
    EXPECT_EQ(finding.root_ranks, std::vector<int>{1});
    EXPECT_EQ(finding.victim_ranks, (std::vector<int>{0, 2}));
  }
}

TEST(HangFinding, ARankThatLeftNothingOfTheFirstCallMayNotHaveStarted) {
  JobSketch sketch(2);
  sketch.forget(1);
  sketch.call(0, {.communicator = sketch.world(), .sequence = 1, .state = EventState::kIssued});
  const model::Finding finding = only_finding(sketch.job);
  EXPECT_EQ(finding.leaf, model::Leaf::kSetupHang);
  EXPECT_EQ(finding.fixes.at(0).pattern, model::FixPattern::kCommunicationConfiguration);
}

// As Horovod's adapter tells it: each tensor has a communicator of its own, and so has hvd.init.
TEST(HangFinding, BehindABarrierOfAllTheFirstCallIsOfThePreparation) {
  JobSketch sketch(2);
  const model::CommunicatorId weights = sketch.group("broadcast.weights", {0, 1});
  for (const int rank : {0, 1}) {
    sketch.call(rank,
                {.communicator = sketch.world(), .sequence = 1, .operation = model::Operation::kBarrier});
  }
  sketch.call(0, {.communicator = weights,
                  .sequence = 1,
                  .operation = model::Operation::kBroadcast,
                  .state = EventState::kIssued});
  EXPECT_EQ(only_finding(sketch.job).leaf, model::Leaf::kPrepHang);
  for (const int rank : {0, 1}) {
    sketch.call(rank, {.communicator = sketch.group("allreduce.loss", {0, 1}), .sequence = 1});
  }
  EXPECT_EQ(only_finding(sketch.job).leaf, model::Leaf::kPerfHang) << "it has trained before";
}

// Rank 1 never comes to the very first call.
model::Leaf leaf_of_a_hang_in_the_first_call(const std::string& backend) {
  JobSketch sketch(2);
  const model::CommunicatorId group = sketch.job.communicators.intern(
      {.name = "first", .description = "first", .backend = backend, .members = {0, 1}, .size = 2});
  for (const int rank : {0, 1}) sketch.history(rank).begins_at_start = true;
  sketch.call(0, {.communicator = group, .sequence = 1, .state = EventState::kIssued});
  return only_finding(sketch.job).leaf;
}

TEST(HangFinding, AGroupThatConnectedWhenItWasMadeIsPastSettingUp) {
  EXPECT_EQ(leaf_of_a_hang_in_the_first_call("gloo"), model::Leaf::kPrepHang);
  EXPECT_EQ(leaf_of_a_hang_in_the_first_call("grpc"), model::Leaf::kPrepHang);
  EXPECT_EQ(leaf_of_a_hang_in_the_first_call("nccl"), model::Leaf::kSetupHang);
}

}  // namespace
}  // namespace lockstep::ranks
