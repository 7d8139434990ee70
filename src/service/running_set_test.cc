#include "service/running_set.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/testing/fakes.h"

namespace lockstep::service {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RunningSetTest : public ::testing::Test {
 protected:
  static RunningAttempt attempt(const std::string& id, EngineKind engine = EngineKind::kLocal) {
    RunningAttempt active;
    active.job.id = id;
    active.job.owner = "ann";
    active.job.engine = engine;
    active.job.per_worker = {1000, 10, 1};
    active.attempt = {.job_id = id, .number = 1, .workers = 2, .started_ms = 5000};
    return active;
  }
  static Job queued(int gpus) {
    Job job;
    job.id = "next";
    job.state = JobState::kQueued;
    job.reason = "rank 1 ended with status 1";
    job.framework = Framework::kTensorFlow;
    job.per_worker = {1000, 0, gpus};
    job.attempts = 1;
    return job;
  }

  FakeEngine engine_{"/nowhere"};
  RunningSet running_;
  Machine machine_{{4000, 100, 4}, {0, 1, 2, 3}};
};

TEST_F(RunningSetTest, OnlyWhatRunsHereHoldsTheMachine) {
  running_["a"] = attempt("a");
  running_["b"] = attempt("b", EngineKind::kSlurm);
  EXPECT_EQ(running_.held(), (Resources{2000, 20, 2}));
  EXPECT_FALSE(running_.fills(machine_));
  running_["c"] = attempt("c");
  EXPECT_TRUE(running_.fills(machine_));
}

TEST_F(RunningSetTest, TheSchedulerHearsWhenAJobMustEnd) {
  running_["a"] = attempt("a");
  running_["b"] = attempt("b");
  running_["b"].job.spec.time_limit_s = 60;
  running_["c"] = attempt("c", EngineKind::kKubernetes);
  const std::vector<RunningJob> all = running_.for_scheduler();
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].must_end_ms, 0) << "no limit";
  EXPECT_EQ(all[1].must_end_ms, 65'000);
}

TEST_F(RunningSetTest, TheNextAttemptGetsWhatNobodyHas) {
  running_["a"] = attempt("a");
  running_["a"].attempt.gpus = {0, 2};
  const auto next = running_.next_attempt(queued(1), {"next", 2, 1}, machine_, 9000);
  ASSERT_TRUE(next.ok());
  const auto& [job, made] = std::tie(next.value().job, next.value().attempt);
  EXPECT_THAT(made.gpus, ElementsAre(1, 3));
  EXPECT_THAT(made.ports, SizeIs(2)) << "one for each rank of TensorFlow";
  EXPECT_EQ(made.number, 2);
  EXPECT_EQ(job.attempts, 2);
  EXPECT_EQ(job.state, JobState::kRunning);
  EXPECT_EQ(job.reason, "") << "that of the attempt before";
  EXPECT_EQ(job.started_ms, 9000);
  EXPECT_FALSE(next.value().is_launched);
}

TEST_F(RunningSetTest, PortsAreNotGivenTwice) {
  running_["a"] = attempt("a");
  for (int i = 0; i < 20; ++i) {
    const auto next = running_.next_attempt(queued(0), {"next", 2, 1}, machine_, 9000);
    ASSERT_TRUE(next.ok());
    for (const int port : next.value().attempt.ports) {
      EXPECT_THAT(running_["a"].attempt.ports, ::testing::Not(::testing::Contains(port)));
      running_["a"].attempt.ports.push_back(port);
    }
  }
}

TEST_F(RunningSetTest, AJobKeepsTheTimeOfItsFirstStart) {
  Job job = queued(0);
  job.started_ms = 7;
  EXPECT_EQ(running_.next_attempt(job, {"next", 1, 1}, machine_, 9000).value().job.started_ms, 7);
}

TEST_F(RunningSetTest, ElsewhereTheClusterGivesGpusAndPorts) {
  Job job = queued(1);
  job.engine = EngineKind::kSlurm;
  const auto next = running_.next_attempt(job, {"next", 4, 2}, machine_, 9000);
  EXPECT_THAT(next.value().attempt.gpus, IsEmpty());
  EXPECT_THAT(next.value().attempt.ports, IsEmpty());
  EXPECT_EQ(next.value().attempt.nodes, 2);
}

TEST_F(RunningSetTest, WhatIsAtWorkNeedsNothing) {
  RunningAttempt active = attempt("a");
  engine_.standings[{"a", 1}] = Standing::kAtWork;
  EXPECT_EQ(need_of(active, engine_).value(), Need::kNothing);
}

TEST_F(RunningSetTest, AnEndedAttemptIsBroughtToItsEnd) {
  RunningAttempt here = attempt("a");
  RunningAttempt elsewhere = attempt("b", EngineKind::kSlurm);
  engine_.standings[{"a", 1}] = engine_.standings[{"b", 1}] = Standing::kEnded;
  EXPECT_EQ(need_of(here, engine_).value(), Need::kEnd);
  EXPECT_EQ(need_of(elsewhere, engine_).value(), Need::kEnd);
}

TEST_F(RunningSetTest, ALostSupervisorHereIsAnEnd) {
  RunningAttempt active = attempt("a");
  engine_.standings[{"a", 1}] = Standing::kLost;
  EXPECT_EQ(need_of(active, engine_).value(), Need::kEnd) << "its ranks went with it";
}

TEST_F(RunningSetTest, ASupervisorElsewhereIsReplacedAFewTimes) {
  RunningAttempt active = attempt("a", EngineKind::kSlurm);
  engine_.standings[{"a", 1}] = Standing::kLost;
  active.adoptions = kMaxAdoptions - 1;
  EXPECT_EQ(need_of(active, engine_).value(), Need::kSupervisor);
  active.adoptions = kMaxAdoptions;
  EXPECT_EQ(need_of(active, engine_).value(), Need::kEnd);
}

TEST_F(RunningSetTest, WhatNeverBeganIsStarted) {
  RunningAttempt active = attempt("a");
  EXPECT_EQ(need_of(active, engine_).value(), Need::kStart) << "and it is no supervisor that was lost";
}

TEST_F(RunningSetTest, WhatCannotBeToldIsNoEnd) {
  RunningAttempt active = attempt("a");
  engine_.standings[{"a", 1}] = Standing::kLost;
  engine_.cannot_tell = Error{"cannot open", "/jobs/a/1/lock", "Too many open files", ""};
  EXPECT_FALSE(need_of(active, engine_).ok());
}

TEST_F(RunningSetTest, AChildThatLivesIsNotLookedUp) {
  RunningAttempt active = attempt("a");
  active.child = 7;
  engine_.living = {7};
  EXPECT_EQ(need_of(active, engine_).value(), Need::kNothing) << "though the folder says nothing of it";
  EXPECT_EQ(active.child, 7);
}

TEST_F(RunningSetTest, WhatAChildLeftMayStillBeAtWork) {
  RunningAttempt active = attempt("a");
  active.child = 7;
  engine_.standings[{"a", 1}] = Standing::kAtWork;
  EXPECT_EQ(need_of(active, engine_).value(), Need::kNothing) << "its ranks hold the lock";
  EXPECT_FALSE(active.child) << "one that has ended is asked after once";
}

}  // namespace
}  // namespace lockstep::service
