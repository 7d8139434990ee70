#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/testing/job_service_fixture.h"

namespace lockstep::service {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST_F(JobServiceTest, RefusesWhatCanNeverRun) {
  const Submitted refused = submit({{"workers", 1}, {"cpus_per_worker", 3}});
  EXPECT_EQ(refused.refusal, Refusal::kInvalid);
  ASSERT_THAT(refused.faults, SizeIs(1));
  EXPECT_EQ(refused.faults[0].pointer, "/cpus_per_worker");
  EXPECT_EQ(submit({{"workers", 1}, {"engine", "kubernetes"}}).refusal, Refusal::kInvalid);
  EXPECT_EQ(service_->waiting_count(), 0U);
}

TEST_F(JobServiceTest, WhoFindsNoRoomWaitsUntilTheTickInWhichThereIs) {
  const std::string first = submitted({{"workers", 2}});
  tick();
  const std::string second = submitted({{"workers", 1}});
  tick();
  EXPECT_THAT(engine_->started, ElementsAre(FakeEngine::Name{first, 1}));
  EXPECT_EQ(state_of(second), JobState::kQueued);
  end(first, 0);
  tick();  // what has ended is seen before it is chosen what starts
  EXPECT_EQ(state_of(first), JobState::kSucceeded);
  EXPECT_EQ(state_of(second), JobState::kRunning);
  EXPECT_EQ(service_->ended_count(JobState::kSucceeded), 1);
}

TEST_F(JobServiceTest, ARestartedServiceGoesOnWithWhatRuns) {
  const std::string id = submitted({{"workers", 1}});
  tick();
  begin_service();
  EXPECT_EQ(service_->running_count(), 1U);
  EXPECT_THAT(engine_->started, IsEmpty()) << "nothing is started twice";
  end(id, 1, EndReason::rank_status(0, 1));
  tick();
  EXPECT_EQ(state_of(id), JobState::kFailed);
  EXPECT_EQ(service_->store().attempts(id).value()[0].reason, EndReason::rank_status(0, 1));
}

TEST_F(JobServiceTest, ARestartedServiceStartsWhatWasOnlyMeantToRun) {
  const std::string id = submitted({{"workers", 1}});
  tick();
  engine_->standings.clear();
  begin_service();
  EXPECT_THAT(engine_->started, ElementsAre(FakeEngine::Name{id, 1}));
}

TEST_F(JobServiceTest, AdoptsWhatRunsOnElsewhereAndGivesUpInTheEnd) {
  const std::string id = submitted({{"workers", 1}, {"engine", "slurm"}});
  tick();
  engine_->standings[{id, 1}] = Standing::kLost;
  for (int i = 0; i < 5; ++i) tick();
  EXPECT_THAT(engine_->adopted, SizeIs(5));
  EXPECT_EQ(state_of(id), JobState::kRunning);
  tick();
  EXPECT_THAT(engine_->adopted, SizeIs(5));
  EXPECT_EQ(state_of(id), JobState::kFailed);
  EXPECT_EQ(service_->store().attempts(id).value()[0].reason, EndReason::supervisor_lost());
}

TEST_F(JobServiceTest, APreemptedJobStartsAgain) {
  const std::string id = submitted({{"workers", 1}});
  tick();
  end(id, 1, EndReason::preempted("Slurm"));
  tick();
  EXPECT_THAT(engine_->started, ElementsAre(FakeEngine::Name{id, 1}, FakeEngine::Name{id, 2}));
  EXPECT_THAT(events_of(id), Contains("failed, to be retried"));
}

TEST_F(JobServiceTest, AJobThatIsCancelledIsAskedToEnd) {
  const std::string id = submitted({{"workers", 1}});
  tick();
  ASSERT_TRUE(service_->cancel(*service_->store().job(id).value()).ok());
  EXPECT_THAT(engine_->asked, ElementsAre(FakeEngine::Name{id, 1}));
  end(id, 1, EndReason::rank_signal(0, 15));
  tick();
  EXPECT_EQ(state_of(id), JobState::kCancelled);
}

TEST_F(JobServiceTest, AWaitingJobThatIsCancelledNeverStarts) {
  const std::string id = submitted({{"workers", 1}});
  ASSERT_TRUE(service_->cancel(*service_->store().job(id).value()).ok());
  tick();
  EXPECT_THAT(engine_->started, IsEmpty());
  EXPECT_EQ(state_of(id), JobState::kCancelled);
  EXPECT_EQ(service_->waiting_count(), 0U);
  EXPECT_EQ(service_->ended_count(JobState::kCancelled), 1);
}

TEST_F(JobServiceTest, ACancelIsNotedOnceAndAskedForAgain) {
  const std::string id = submitted({{"workers", 1}});
  tick();
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(service_->cancel(*service_->store().job(id).value()).ok());
  EXPECT_THAT(engine_->asked, SizeIs(2)) << "the first may have come too early";
  EXPECT_THAT(events_of(id), ElementsAre("queued", "started", "cancel asked"));
}

TEST_F(JobServiceTest, ARestartedServiceAsksAgainForTheEndOfACancelledJob) {
  const std::string id = submitted({{"workers", 1}});
  tick();
  ASSERT_TRUE(service_->cancel(*service_->store().job(id).value()).ok());
  begin_service();
  EXPECT_THAT(engine_->asked, ElementsAre(FakeEngine::Name{id, 1}));
}

TEST_F(JobServiceTest, ARestartedServiceKeepsTheLine) {
  submitted({{"workers", 2}});
  const std::string second = submitted({{"workers", 1}});
  tick();
  begin_service();
  EXPECT_EQ(service_->waiting_count(), 1U);
  EXPECT_TRUE(service_->is_unfinished(second));
}

TEST_F(JobServiceTest, WhatWasAddedWithoutAnAnswerIsFound) {
  store_->loses_answers = true;
  base::Json request = {{"workers", 1}, {"command", {"true"}}};
  const Submission one{"ann", request, "", std::nullopt};
  EXPECT_FALSE(service_->submit({&one, 1}).ok());
  EXPECT_EQ(service_->waiting_count(), 0U);
  store_->loses_answers = false;
  tick();
  EXPECT_THAT(engine_->started, SizeIs(1)) << "nobody would ever start it";
}

TEST_F(JobServiceTest, NothingStartsThatIsNotWrittenDown) {
  const std::string id = submitted({{"workers", 1}});
  store_->is_away = true;
  EXPECT_FALSE(service_->tick().ok());
  EXPECT_THAT(engine_->started, IsEmpty());
  store_->is_away = false;
  tick();
  EXPECT_THAT(engine_->started, ElementsAre(FakeEngine::Name{id, 1}));
}

TEST_F(JobServiceTest, AnEndIsWrittenWhenTheStoreIsBack) {
  const std::string id = submitted({{"workers", 1}});
  tick();
  end(id, 0);
  store_->is_away = true;
  EXPECT_FALSE(service_->tick().ok());
  EXPECT_TRUE(service_->has_unfinished_jobs()) << "it must not rest now";
  store_->is_away = false;
  tick();
  EXPECT_EQ(state_of(id), JobState::kSucceeded);
  EXPECT_FALSE(service_->has_unfinished_jobs());
}

// The order of a tick.

TEST_F(JobServiceTest, TheLastNewsOfAnAttemptComeBeforeItsEnd) {
  const std::string id = submitted({{"workers", 1}});
  tick();
  service::report_news(engine_->folder_of(id, 1), "repaired", "a file");
  end(id, 0);
  tick();
  EXPECT_THAT(events_of(id), ElementsAre("queued", "started", "repaired", "succeeded"));
}

TEST_F(JobServiceTest, NewsAreToldOnceThroughRestarts) {
  const std::string id = submitted({{"workers", 1}});
  tick();
  service::report_news(engine_->folder_of(id, 1), "running", "on n1");
  tick();
  begin_service();
  tick();
  EXPECT_THAT(events_of(id), ElementsAre("queued", "started", "running"));
}

TEST_F(JobServiceTest, WhatIsRepeatedInATickStartsInTheSame) {
  const std::string first = submitted({{"workers", 2}});
  clock_->advance(std::chrono::milliseconds(1));
  const std::string second = submitted({{"workers", 2}});
  tick();
  end(first, 1, EndReason::preempted("Slurm"));
  tick();
  EXPECT_THAT(engine_->started, ElementsAre(FakeEngine::Name{first, 1}, FakeEngine::Name{first, 2}))
      << "who came first is first again";
  EXPECT_EQ(state_of(second), JobState::kQueued);
}

TEST_F(JobServiceTest, WhatAnotherServiceAskedToCancelIsNotStarted) {
  store_->name = "";
  const std::string id = submitted({{"workers", 1}});
  store_->name = "ours";
  store_->asked_to_cancel = {id};
  tick();
  EXPECT_THAT(engine_->started, IsEmpty()) << "wishes are heeded before anything starts";
  EXPECT_EQ(state_of(id), JobState::kCancelled);
  submitted({{"workers", 2}});
  store_->looks_for_wishes = 0;
  tick_after(std::chrono::milliseconds(999));
  EXPECT_EQ(store_->looks_for_wishes, 0);
  tick_after(std::chrono::milliseconds(1));
  EXPECT_EQ(store_->looks_for_wishes, 1);
}

TEST_F(JobServiceTest, AJobOfAnotherServiceIsLeftToIt) {
  const std::string id = submitted({{"workers", 1}});
  Job theirs = *service_->store().job(id).value();
  theirs.service = "theirs";
  EXPECT_EQ(service_->cancel(theirs).value().state, JobState::kQueued);
  EXPECT_EQ(state_of(id), JobState::kQueued);
}

TEST_F(JobServiceTest, TheSchedulerRestsEightTimesAsLongAsItWorked) {
  submitted({{"workers", 1}});
  clock_->per_look = std::chrono::milliseconds(100);  // a pass looks twice: it takes 100 ms
  tick();
  clock_->per_look = std::chrono::milliseconds(0);
  submitted({{"workers", 1}});
  tick();
  EXPECT_THAT(engine_->started, SizeIs(1));
  tick_after(std::chrono::milliseconds(799));
  EXPECT_THAT(engine_->started, SizeIs(1));
  tick_after(std::chrono::milliseconds(1));
  EXPECT_THAT(engine_->started, SizeIs(2));
}

TEST_F(JobServiceTest, AttemptsAreLookedAtOnceASecond) {
  service_->watch_for_silence(std::chrono::seconds(1));
  const std::string id = submitted({{"workers", 1}});
  tick();
  ASSERT_TRUE(base::write_file(engine_->folder_of(id, 1).sign_of_life(0), "1").ok());
  tick_after(std::chrono::milliseconds(1000));  // its sign is seen
  tick_after(std::chrono::milliseconds(999));
  EXPECT_THAT(events_of(id), Not(Contains("silent")));
  tick_after(std::chrono::milliseconds(1));
  EXPECT_THAT(events_of(id), Contains("silent"));
}

// An elastic job with one rank beside another job, which ends.
class GrowingJobTest : public JobServiceTest {
 protected:
  GrowingJobTest() {
    service_->grow_after(std::chrono::seconds(60));
    other_ = submitted({{"workers", 1}});
    tick();
    fs::create_directory(folder_ / "checkpoints");
    elastic_ = submitted({{"workers", {{"min", 1}, {"max", 2}}},
                          {"cpus_per_worker", 1},
                          {"checkpoint_directory", (folder_ / "checkpoints").string()}});
    tick();
    end(other_, 0);
    tick();
  }
  void save_checkpoint() {
    std::ofstream(folder_ / "checkpoints" / "step_1") << "x";
    const std::int64_t at_s = clock_->wall_ms() / 1000;
    const timespec times[2] = {{at_s, 0}, {at_s, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, (folder_ / "checkpoints" / "step_1").c_str(), times, 0), 0);
  }
  std::string other_;
  std::string elastic_;
};

TEST_F(GrowingJobTest, WaitsItsTimeAndGrowsOnce) {
  ASSERT_EQ(service_->store().attempts(elastic_).value()[0].workers, 1);
  tick_after(std::chrono::seconds(59));
  save_checkpoint();
  tick();
  EXPECT_THAT(engine_->asked, IsEmpty()) << "not before its time";
  tick_after(std::chrono::seconds(2));
  EXPECT_THAT(engine_->asked, ElementsAre(FakeEngine::Name{elastic_, 1}));
  tick_after(std::chrono::seconds(2));
  EXPECT_THAT(engine_->asked, SizeIs(1)) << "told once";
  end(elastic_, 1, EndReason::rank_signal(0, 15));
  tick_after(std::chrono::seconds(2));
  const auto attempts = service_->store().attempts(elastic_).value();
  ASSERT_THAT(attempts, SizeIs(2));
  EXPECT_EQ(attempts[0].reason.kind, EndKind::kToGrow);
  EXPECT_EQ(attempts[1].workers, 2);
}

TEST_F(GrowingJobTest, DoesNotLoseItsWork) {
  tick_after(std::chrono::seconds(120));
  EXPECT_THAT(engine_->asked, IsEmpty()) << "nothing was saved";
}

TEST_F(GrowingJobTest, OthersComeFirst) {
  save_checkpoint();
  submitted({{"workers", 2}});  // finds no room
  tick_after(std::chrono::seconds(61));
  EXPECT_THAT(engine_->asked, IsEmpty());
}

TEST_F(GrowingJobTest, ARestartedServiceDoesNotAskForAnotherGrowth) {
  clock_->advance(std::chrono::seconds(61));
  save_checkpoint();
  tick();
  const auto told = read_growth(engine_->folder_of(elastic_, 1)).value();
  ASSERT_EQ(told, Growth{2});
  EXPECT_THAT(events_of(elastic_), Contains("end asked"));
}

TEST_F(JobServiceTest, ASilentRankIsNamedAndEndsTheAttempt) {
  service_->watch_for_silence(std::chrono::seconds(5));
  const std::string id = submitted({{"workers", 1}});
  tick();
  ASSERT_TRUE(base::write_file(engine_->folder_of(id, 1).sign_of_life(0), "1").ok());
  tick_after(std::chrono::seconds(1));
  tick_after(std::chrono::seconds(4));
  EXPECT_THAT(events_of(id), Not(Contains("silent")));
  tick_after(std::chrono::seconds(1));
  EXPECT_THAT(events_of(id), Contains("silent"));
  EXPECT_THAT(engine_->asked, IsEmpty());
  tick_after(std::chrono::seconds(45));
  EXPECT_THAT(engine_->asked, ElementsAre(FakeEngine::Name{id, 1}));
  tick_after(std::chrono::seconds(5));
  EXPECT_THAT(engine_->asked, SizeIs(1)) << "asked once";
  end(id, 1);
  tick();
  EXPECT_EQ(service_->store().attempts(id).value()[0].reason, EndReason::silent("rank 0", 50));
}

TEST_F(JobServiceTest, OldJobsAreForgottenAndYoungerOnesKept) {
  begin_service(std::chrono::hours(1));
  const std::string old = submitted({{"workers", 1}});
  tick();
  end(old, 0);
  tick();
  clock_->advance(std::chrono::minutes(50));
  const std::string young = submitted({{"workers", 1}});
  tick();
  end(young, 0);
  tick();
  EXPECT_THAT(engine_->removed, IsEmpty());
  tick_after(std::chrono::minutes(11));
  EXPECT_THAT(engine_->removed, ElementsAre(old));
  EXPECT_FALSE(service_->store().job(old).value().has_value());
  EXPECT_TRUE(service_->store().job(young).value().has_value());
}

TEST_F(JobServiceTest, AFewAreForgottenAtATime) {
  begin_service(std::chrono::hours(1));
  for (int i = 0; i < Retention::kMaxAtOnce + 1; ++i) {
    const std::string id = submitted({{"workers", 1}});
    ASSERT_TRUE(service_->cancel(*service_->store().job(id).value()).ok());
  }
  tick_after(std::chrono::minutes(61));
  EXPECT_THAT(engine_->removed, SizeIs(Retention::kMaxAtOnce));
  tick_after(std::chrono::milliseconds(999));
  EXPECT_THAT(engine_->removed, SizeIs(Retention::kMaxAtOnce));
  tick_after(std::chrono::milliseconds(1));
  EXPECT_THAT(engine_->removed, SizeIs(Retention::kMaxAtOnce + 1));
}

}  // namespace
}  // namespace lockstep::service
