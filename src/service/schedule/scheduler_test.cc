#include "service/schedule/scheduler.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::service {
namespace {

constexpr std::int64_t kNow = 1'000'000;
constexpr Resources kFourCores{.millicpus = 4000, .memory_bytes = 0, .gpus = 0};

WaitingJob waiting(const std::string& id, int workers, const std::string& owner = "ann", int priority = 0) {
  static std::int64_t created = 0;
  return {.id = id,
          .owner = owner,
          .priority = priority,
          .created_ms = ++created,
          .workers_min = workers,
          .workers_max = workers,
          .per_worker = {.millicpus = 1000, .memory_bytes = 0, .gpus = 0},
          .time_limit_s = 0};
}

WaitingJob limited(WaitingJob job, int seconds) {
  job.time_limit_s = seconds;
  return job;
}

RunningJob running(const std::string& id, int cores, std::int64_t must_end_ms = 0,
                   const std::string& owner = "ann") {
  return {id, owner, {.millicpus = 1000 * cores, .memory_bytes = 0, .gpus = 0}, must_end_ms};
}

using Starts = std::vector<Start>;

TEST(Scheduler, InTheOrderOfComingWhileTheyFit) {
  EXPECT_EQ(choose_starts(kFourCores, {}, {waiting("a", 2), waiting("b", 2), waiting("c", 1)}, kNow),
            (Starts{{"a", 2}, {"b", 2}}));
}

TEST(Scheduler, PriorityComesFirst) {
  EXPECT_EQ(choose_starts(kFourCores, {}, {waiting("a", 4), waiting("b", 4, "ann", 5)}, kNow),
            (Starts{{"b", 4}}));
}

TEST(Scheduler, WhoHoldsLessComesFirst) {
  EXPECT_EQ(choose_starts(kFourCores, {running("x", 2)}, {waiting("a", 2), waiting("b", 2, "bob")}, kNow),
            (Starts{{"b", 2}}));
}

TEST(Scheduler, TurnsAreTakenBetweenUsers) {
  EXPECT_EQ(choose_starts(kFourCores, {},
                          {waiting("a1", 1), waiting("a2", 1), waiting("a3", 1), waiting("b1", 1, "bob"),
                           waiting("b2", 1, "bob")},
                          kNow),
            (Starts{{"a1", 1}, {"b1", 1}, {"a2", 1}, {"b2", 1}}));
}

TEST(Scheduler, AllRanksOrNone) {
  EXPECT_EQ(choose_starts(kFourCores, {running("x", 1)}, {waiting("a", 4)}, kNow), Starts{});
}

TEST(Scheduler, AnElasticJobTakesWhatThereIs) {
  WaitingJob job = waiting("a", 2);
  job.workers_max = 8;
  EXPECT_EQ(choose_starts(kFourCores, {running("x", 1)}, {job}, kNow), (Starts{{"a", 3}}));
  EXPECT_EQ(choose_starts(kFourCores, {running("x", 3)}, {job}, kNow), Starts{});
}

TEST(Scheduler, AShortJobGoesAheadWhenItIsOverInTime) {
  const auto long_run = running("x", 3, kNow + 60'000);
  EXPECT_EQ(
      choose_starts(kFourCores, {long_run}, {waiting("big", 4), limited(waiting("short", 1), 60)}, kNow),
      (Starts{{"short", 1}}));
  EXPECT_EQ(
      choose_starts(kFourCores, {long_run}, {waiting("big", 4), limited(waiting("longer", 1), 61)}, kNow),
      Starts{});
}

TEST(Scheduler, AJobGoesAheadWhenItLeavesRoomForTheOneThatWaits) {
  EXPECT_EQ(choose_starts(kFourCores, {running("x", 2, kNow + 60'000)},
                          {waiting("big", 3), waiting("side", 1)}, kNow),
            (Starts{{"side", 1}}));
}

TEST(Scheduler, NobodyStarvesBehindJobsWithoutALimit) {
  EXPECT_EQ(choose_starts(kFourCores, {running("x", 3)}, {waiting("big", 4), waiting("small", 1)}, kNow),
            Starts{});
}

TEST(Scheduler, GpusAndMemoryCountToo) {
  const Resources machine{.millicpus = 64'000, .memory_bytes = 100, .gpus = 2};
  WaitingJob one = waiting("one", 2);
  one.per_worker.gpus = 1;
  WaitingJob other = waiting("other", 1);
  other.per_worker.gpus = 1;
  WaitingJob heavy = waiting("heavy", 2);
  heavy.per_worker.memory_bytes = 51;
  EXPECT_EQ(choose_starts(machine, {}, {one, other}, kNow), (Starts{{"one", 2}}));
  EXPECT_EQ(choose_starts(machine, {}, {heavy}, kNow), Starts{});
}

// Never more than there is, and the first in order starts whenever it fits.
RC_GTEST_PROP(Scheduler, NeverTakesMoreThanThereIs, ()) {
  const Resources machine{.millicpus = *rc::gen::inRange(1, 16) * 1000, .memory_bytes = 0, .gpus = 4};
  std::vector<WaitingJob> jobs;
  const int count = *rc::gen::inRange(0, 12);
  for (int i = 0; i < count; ++i) {
    WaitingJob job = waiting(std::to_string(i), *rc::gen::inRange(1, 6),
                             *rc::gen::element<std::string>("a", "b", "c"), *rc::gen::inRange(0, 2));
    job.workers_max = job.workers_min + *rc::gen::inRange(0, 4);
    job.per_worker.gpus = *rc::gen::inRange(0, 2);
    job.time_limit_s = *rc::gen::element(0, 10, 100);
    jobs.push_back(job);
  }
  const int held = *rc::gen::inRange<int>(0, static_cast<int>(machine.millicpus / 1000) + 1);
  const std::vector<RunningJob> now = {running("r", held, *rc::gen::element<std::int64_t>(0, kNow + 50'000))};
  Resources taken = now.front().held;
  const std::vector<Start> starts = choose_starts(machine, now, jobs, kNow);
  for (const Start& start : starts) {
    const WaitingJob& job = jobs[std::stoul(start.id)];
    RC_ASSERT(start.workers >= job.workers_min && start.workers <= job.workers_max);
    taken = taken + job.per_worker * start.workers;
  }
  RC_ASSERT(taken.fits_in(machine));
  if (starts.empty() && held == 0) {
    for (const WaitingJob& job : jobs)
      RC_ASSERT(!(job.per_worker * job.workers_min).fits_in(machine) || jobs.size() > 1);
  }
}

}  // namespace
}  // namespace lockstep::service
