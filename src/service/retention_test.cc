#include "service/retention.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/testing/fakes.h"

namespace lockstep::service {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A store with jobs that ended now.
class RetentionTest : public ::testing::Test {
 protected:
  RetentionTest() {
    std::string name = "/tmp/lockstep-retention-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    store_ = std::make_unique<FlakyStore>(folder_);
  }
  ~RetentionTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::string ended_job() {
    Job job;
    job.id = make_job_id(clock_.wall_ms());
    job.created_ms = clock_.wall_ms();
    job.spec.command = {"true"};
    const NewJob added{job, Event{0, job.id, job.created_ms, "queued", ""}, {}};
    EXPECT_TRUE(store_->add({&added, 1}).ok());
    job.state = JobState::kFailed;
    job.ended_ms = clock_.wall_ms();
    ++job.version;
    EXPECT_TRUE(store_->apply({job, {}, {}}).ok());
    return job.id;
  }
  std::vector<std::string> due_after(Retention& retention, std::chrono::milliseconds time) {
    clock_.advance(time);
    return retention.due(*store_, clock_).value();
  }

  std::filesystem::path folder_;
  FakeClock clock_;
  std::unique_ptr<FlakyStore> store_;
};

TEST_F(RetentionTest, ForEverIsForEver) {
  Retention retention{std::chrono::milliseconds(0)};
  ended_job();
  EXPECT_THAT(due_after(retention, std::chrono::hours(24 * 365)), IsEmpty());
}

TEST_F(RetentionTest, AJobIsKeptForItsTime) {
  Retention retention{std::chrono::hours(1)};
  const std::string id = ended_job();
  EXPECT_THAT(due_after(retention, std::chrono::minutes(59)), IsEmpty());
  EXPECT_THAT(due_after(retention, std::chrono::minutes(2)), ElementsAre(id));
}

TEST_F(RetentionTest, LooksOnceAMinuteWhileThereIsNothing) {
  Retention retention{std::chrono::milliseconds(1)};
  due_after(retention, std::chrono::milliseconds(0));
  const std::string id = ended_job();
  EXPECT_THAT(due_after(retention, Retention::kBetweenLooks - std::chrono::milliseconds(1)), IsEmpty());
  EXPECT_THAT(due_after(retention, std::chrono::milliseconds(1)), ElementsAre(id));
}

TEST_F(RetentionTest, LooksAgainSoonWhileThereMayBeMore) {
  Retention retention{std::chrono::milliseconds(1)};
  for (int i = 0; i < Retention::kMaxAtOnce + 3; ++i) ended_job();
  const auto first = due_after(retention, std::chrono::milliseconds(2));
  ASSERT_THAT(first, SizeIs(Retention::kMaxAtOnce));
  for (const std::string& id : first) ASSERT_TRUE(store_->remove(id).ok());
  EXPECT_THAT(due_after(retention, std::chrono::milliseconds(999)), IsEmpty());
  EXPECT_THAT(due_after(retention, std::chrono::milliseconds(1)), SizeIs(3));
}

}  // namespace
}  // namespace lockstep::service
