#include "run/evidence/activity.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>

#include <gtest/gtest.h>

#include "run/evidence/child_for_tests.h"

namespace lockstep::evidence {
namespace {

constexpr std::chrono::milliseconds kLook{1500};

Doing doing_of(const ChildForTests& child) {
  const pid_t pids[] = {child.pid()};
  return watch_activity({}, pids, kLook).front().doing;
}

// Of one that wants a processor, and on a busy machine is given little: by a look in which it had enough for
// its share of the kernel's time to say something.
Doing doing_of_busy(const ChildForTests& child) {
  constexpr double kEnoughSeconds = 0.3;
  constexpr std::chrono::milliseconds kLongest{60'000};
  const pid_t pids[] = {child.pid()};
  double used = 0;
  for (auto look = kLook;; look *= 2) {
    const Activity activity = watch_activity({}, pids, look).front();
    if (activity.cpu_seconds - used >= kEnoughSeconds || look > kLongest) return activity.doing;
    used = activity.cpu_seconds;
  }
}

TEST(Activity, AProcessThatWaits) {
  EXPECT_EQ(doing_of(ChildForTests([] {})), Doing::kWaits);
}

TEST(Activity, AProcessThatComputes) {
  EXPECT_EQ(doing_of_busy(ChildForTests([] {
              for (volatile unsigned number = 0;;) number = number + 1;
            })),
            Doing::kWorks);
}

TEST(Activity, AProcessThatAsksTheKernelAgainAndAgain) {
  EXPECT_EQ(doing_of_busy(ChildForTests([] {
              for (;;) ::poll(nullptr, 0, 0);  // sched_yield() would get next to nothing of a busy machine
            })),
            Doing::kPolls);
}

TEST(Activity, AProcessThatReads) {
  EXPECT_EQ(doing_of_busy(ChildForTests([] {
              static char bytes[1 << 16];
              const int zeros = ::open("/dev/zero", O_RDONLY);
              while (::read(zeros, bytes, sizeof bytes) > 0) continue;
            })),
            Doing::kWorks);
}

TEST(Activity, AProcessThatFillsMemory) {
  EXPECT_EQ(doing_of_busy(ChildForTests([] {
              constexpr std::size_t kSize = 1 << 20;
              for (;;) {
                void* pages =
                    ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                for (std::size_t at = 0; at < kSize; at += 4096) static_cast<volatile char*>(pages)[at] = 1;
                ::munmap(pages, kSize);
              }
            })),
            Doing::kWorks);
}

TEST(Activity, AProcessThatWakesForMoments) {
  EXPECT_EQ(doing_of(ChildForTests([] {
              for (;;) ::usleep(1000);
            })),
            Doing::kWaits);
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
