#include "run/evidence/activity.h"

#include <sched.h>

#include <gtest/gtest.h>

#include "run/evidence/child_for_tests.h"

namespace lockstep::evidence {
namespace {

constexpr std::chrono::milliseconds kLook{1500};  // a busy machine gives each little

Doing doing_of(const ChildForTests& child) {
  const pid_t pids[] = {child.pid()};
  return watch_activity({}, pids, kLook).front().doing;
}

TEST(Activity, AProcessThatWaits) {
  EXPECT_EQ(doing_of(ChildForTests([] {})), Doing::kWaits);
}

TEST(Activity, AProcessThatComputes) {
  EXPECT_EQ(doing_of(ChildForTests([] {
              for (volatile unsigned number = 0;;) number = number + 1;
            })),
            Doing::kWorks);
}

TEST(Activity, AProcessThatAsksTheKernelAgainAndAgain) {
  EXPECT_EQ(doing_of(ChildForTests([] {
              for (;;) ::sched_yield();
            })),
            Doing::kPolls);
}

TEST(Activity, AProcessThatIsStopped) {
  EXPECT_EQ(doing_of(ChildForTests([] { ::raise(SIGSTOP); })), Doing::kStopped);
}

TEST(Activity, AProcessThatIsGone) {
  const pid_t nobody[] = {0x7fffffff};
  EXPECT_EQ(watch_activity({}, nobody, std::chrono::milliseconds(1)).front().doing, Doing::kGone);
}

TEST(Activity, SaysInWhichCallAProcessWaits) {
  const ChildForTests one([] {});
  const ChildForTests other([] { ::sleep(1000); });
  const pid_t pids[] = {one.pid(), other.pid()};
  const auto activities = watch_activity({}, pids, std::chrono::milliseconds(200));
  EXPECT_TRUE(activities[0].waits_in);
  EXPECT_NE(activities[0].waits_in, activities[1].waits_in);
}

}  // namespace
}  // namespace lockstep::evidence
