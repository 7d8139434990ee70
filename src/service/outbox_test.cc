#include "service/outbox.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "service/job/job_id.h"
#include "service/testing/flaky_store.h"

namespace lockstep::service {
namespace {

class OutboxTest : public ::testing::Test {
 protected:
  OutboxTest() {
    std::string name = "/tmp/lockstep-outbox-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    store_ = std::make_unique<FlakyStore>(folder_);
    job_.id = make_job_id(1000);
    job_.spec.command = {"true"};
    const NewJob added{job_, Event{0, job_.id, 1000, "queued", ""}, {}};
    EXPECT_TRUE(store_->add({&added, 1}).ok());
  }
  ~OutboxTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  bool write(const std::string& kind) {
    ++job_.version;
    return outbox_.write(*store_, {job_, {}, Event{0, job_.id, 2000, kind, ""}}).ok();
  }
  std::string events() {
    std::string kinds;
    const std::vector<Event> all = store_->events(job_.id, 0, 9).value();
    for (const Event& event : all) kinds += event.kind + " ";
    return kinds;
  }

  std::filesystem::path folder_;
  std::unique_ptr<FlakyStore> store_;
  Job job_;
  Outbox outbox_;
};

TEST_F(OutboxTest, AChangeIsWrittenAtOnce) {
  EXPECT_TRUE(write("started"));
  EXPECT_TRUE(outbox_.is_empty());
  EXPECT_EQ(events(), "queued started ");
}

TEST_F(OutboxTest, WhatTheStoreCannotTakeWaitsInItsOrder) {
  store_->is_away = true;
  EXPECT_FALSE(write("started"));
  EXPECT_FALSE(write("failed"));
  EXPECT_FALSE(outbox_.is_empty());
  EXPECT_FALSE(outbox_.write_all(*store_).ok());
  store_->is_away = false;
  EXPECT_TRUE(write("succeeded"));
  EXPECT_TRUE(outbox_.is_empty());
  EXPECT_EQ(events(), "queued started failed succeeded ");
}

}  // namespace
}  // namespace lockstep::service
