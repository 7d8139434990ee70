// What the service does while it cannot read, start or tell something.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/testing/job_service_fixture.h"

namespace lockstep::service {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(JobServiceTest, AnAttemptThatCannotBeStartedIsTriedForTenMinutes) {
  const std::string id = submitted({{"workers", 1}});
  engine_->cannot_start = Error{"cannot make the folder", "/x", "no space", ""};
  EXPECT_FALSE(service_->tick().ok()) << "it is said";
  clock_->advance(std::chrono::minutes(9));
  EXPECT_FALSE(service_->tick().ok());
  EXPECT_EQ(state_of(id), JobState::kRunning);
  EXPECT_THAT(events_of(id), ElementsAre("queued", "started", "waiting")) << "once";
  clock_->advance(std::chrono::minutes(1));
  tick();
  EXPECT_EQ(state_of(id), JobState::kFailed);
  EXPECT_EQ(service_->store().job(id).value()->reason, "cannot make the folder: /x: no space");
  EXPECT_EQ(service_->running_count(), 0U) << "its place is free";
  EXPECT_EQ(service_->ended_count(JobState::kFailed), 1);
}

TEST_F(JobServiceTest, AnAttemptStartsWhenThereIsRoomAgain) {
  const std::string id = submitted({{"workers", 1}});
  engine_->cannot_start = Error{"cannot make the folder", "/x", "no space", ""};
  EXPECT_FALSE(service_->tick().ok());
  engine_->cannot_start.reset();
  tick();
  EXPECT_THAT(engine_->started, IsEmpty()) << "not within a second";
  tick_after(std::chrono::seconds(1));
  EXPECT_THAT(engine_->started, ElementsAre(FakeEngine::Name{id, 1}));
}

TEST_F(JobServiceTest, ASupervisorThatEndedBeforeItBeganIsStartedAgain) {
  const std::string id = submitted({{"workers", 1}});
  tick();
  engine_->standings[{id, 1}] = Standing::kNotBegun;
  EXPECT_FALSE(service_->tick().ok()) << "it is said";
  tick_after(std::chrono::seconds(1));
  EXPECT_THAT(engine_->started, ElementsAre(FakeEngine::Name{id, 1}, FakeEngine::Name{id, 1}));
  EXPECT_EQ(state_of(id), JobState::kRunning);
}

TEST_F(JobServiceTest, AStartThatIsPutOffEndsWhenItIsCancelled) {
  const std::string id = submitted({{"workers", 1}});
  engine_->cannot_start = Error{"cannot make the folder", "/x", "no space", ""};
  EXPECT_FALSE(service_->tick().ok());
  ASSERT_TRUE(service_->cancel(service_->store().job(id).value().value()).ok());
  tick_after(std::chrono::seconds(1));
  EXPECT_EQ(state_of(id), JobState::kCancelled);
}

TEST_F(JobServiceTest, AnEndThatCannotBeReadIsReadLaterAndRunsNothingAgain) {
  const std::string id = submitted({{"workers", 1}, {"retries", 2}});
  const std::string other = submitted({{"workers", 1}});
  tick();
  end(id, 0);
  end(other, 0);
  const fs::path record = engine_->folder_of(id, 1).end();
  fs::rename(record, record.string() + ".kept");
  fs::create_symlink(record, record);  // there, and nobody can open it
  EXPECT_FALSE(service_->tick().ok()) << "it is said";
  EXPECT_FALSE(service_->tick().ok());
  EXPECT_EQ(state_of(id), JobState::kRunning);
  EXPECT_EQ(state_of(other), JobState::kSucceeded) << "others go on";
  EXPECT_THAT(events_of(id), ElementsAre("queued", "started", "waiting")) << "once";
  fs::rename(record.string() + ".kept", record);
  tick();
  EXPECT_EQ(state_of(id), JobState::kSucceeded);
  EXPECT_THAT(engine_->started, SizeIs(2)) << "neither ran again";
}

TEST_F(JobServiceTest, WhatStandsInTheWayOfAnEndHoldsUpNobody) {
  const std::string id = submitted({{"workers", 1}});
  tick();
  end(id, 0);
  const fs::path record = engine_->folder_of(id, 1).end();
  fs::remove(record);
  fs::create_directory(record);
  tick();
  EXPECT_NE(state_of(id), JobState::kRunning);
}

TEST_F(JobServiceTest, WhatCannotBeToldOfAnAttemptWaits) {
  const std::string id = submitted({{"workers", 1}, {"retries", 2}});
  tick();
  engine_->standings[{id, 1}] = Standing::kLost;
  engine_->cannot_tell = Error{"cannot open", "/jobs/x/lock", "Too many open files", ""};
  EXPECT_FALSE(service_->tick().ok());
  EXPECT_EQ(state_of(id), JobState::kRunning);
  engine_->cannot_tell.reset();
  engine_->standings[{id, 1}] = Standing::kAtWork;
  tick();
  EXPECT_EQ(state_of(id), JobState::kRunning);
  EXPECT_THAT(engine_->started, SizeIs(1));
}

TEST_F(JobServiceTest, ADoubtThatComesBackIsToldAgainAtMostOnceAMinute) {
  const std::string id = submitted({{"workers", 1}});
  tick();
  const auto doubt = [&](const std::string& why) {
    engine_->cannot_tell = Error{"cannot open", "/jobs/x/lock", why, ""};
    EXPECT_FALSE(service_->tick().ok());
  };
  for (int i = 0; i < 3; ++i) {
    doubt("Too many open files");
    doubt("Cannot allocate memory");
  }
  EXPECT_THAT(events_of(id), ElementsAre("queued", "started", "waiting"));
  engine_->cannot_tell.reset();
  tick();
  clock_->advance(std::chrono::minutes(1));
  doubt("Too many open files");
  doubt("Too many open files");
  EXPECT_THAT(events_of(id), ElementsAre("queued", "started", "waiting", "waiting")) << "it had been known";
}

TEST_F(JobServiceTest, ACancelThatCouldNotBePassedOnIsPassedOnLater) {
  const std::string id = submitted({{"workers", 1}});
  tick();
  engine_->cannot_tell = Error{"cannot open", "/jobs/x/started", "Too many open files", ""};
  ASSERT_TRUE(service_->cancel(service_->store().job(id).value().value()).ok());
  EXPECT_THAT(engine_->asked, IsEmpty());
  engine_->cannot_tell.reset();
  tick();
  tick();
  EXPECT_THAT(engine_->asked, ElementsAre(FakeEngine::Name{id, 1})) << "once";
}

TEST_F(JobServiceTest, ASupervisorThatCannotBeReplacedIsTroubleAndTriedAgain) {
  const std::string id = submitted({{"workers", 1}, {"engine", "slurm"}});
  tick();
  engine_->standings[{id, 1}] = Standing::kLost;
  engine_->cannot_start = Error{"cannot fork", "", "", ""};
  EXPECT_FALSE(service_->tick().ok());
  EXPECT_EQ(state_of(id), JobState::kRunning) << "its ranks run on";
  engine_->cannot_start.reset();
  tick();
  EXPECT_THAT(engine_->adopted, SizeIs(1));
}

}  // namespace
}  // namespace lockstep::service
