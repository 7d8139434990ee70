#include "service/growth.h"

#include <gtest/gtest.h>

namespace lockstep::service {
namespace {

constexpr std::chrono::seconds kEarliest{60};
constexpr std::int64_t kStart = 1'000'000;
constexpr std::int64_t kLate = kStart + 61'000;

class GrowthOfAJob : public testing::Test {
 protected:
  GrowthOfAJob() {
    job.spec.workers_min = 2;
    job.spec.workers_max = 4;
    job.spec.checkpoint_directory = "/checkpoints";
    attempt.workers = 3;
    attempt.started_ms = kStart;
  }
  Job job;
  Attempt attempt;
};

TEST_F(GrowthOfAJob, OneThatHasFewerRanksThanItMayHave) {
  EXPECT_TRUE(may_grow(job, attempt, kEarliest, kLate));
  attempt.workers = 4;
  EXPECT_FALSE(may_grow(job, attempt, kEarliest, kLate));
}

TEST_F(GrowthOfAJob, NotBeforeItsTime) {
  EXPECT_FALSE(may_grow(job, attempt, kEarliest, kStart + 59'000));
  EXPECT_FALSE(may_grow(job, attempt, std::chrono::seconds(0), kLate)) << "never";
}

TEST_F(GrowthOfAJob, NotOneThatIsToEnd) {
  job.cancel_asked = true;
  EXPECT_FALSE(may_grow(job, attempt, kEarliest, kLate));
}

TEST_F(GrowthOfAJob, NotOneThatWouldLoseItsWork) {
  EXPECT_FALSE(has_saved(attempt, 0));
  EXPECT_FALSE(has_saved(attempt, kStart - 1)) << "an earlier attempt did";
  EXPECT_TRUE(has_saved(attempt, kStart + 1));
  job.spec.checkpoint_directory.clear();
  EXPECT_FALSE(may_grow(job, attempt, kEarliest, kLate));
}

}  // namespace
}  // namespace lockstep::service
