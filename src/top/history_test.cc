#include "top/history.h"

#include <limits>

#include <gtest/gtest.h>

#include "top/testing/snapshots.h"

namespace lockstep::top {
namespace {

using testing::healthy_job;

TEST(History, KeepsTheNewestOfEachRank) {
  History history;
  watch::Snapshot job = healthy_job(2);
  for (std::size_t i = 0; i < History::kSamples + 5; ++i) {
    job.ranks[0].steps_per_second = static_cast<double>(i);
    job.ranks[1].steps_per_second.reset();
    history.add(job);
  }
  EXPECT_EQ(history.of_rank(0).size(), History::kSamples);
  EXPECT_EQ(history.of_rank(0).front(), 5);
  EXPECT_TRUE(history.of_rank(1).empty());
  EXPECT_EQ(history.of_job().back(), static_cast<float>(History::kSamples + 4));
}

TEST(History, CallsAreCountedBetweenPolls) {
  using testing::kSecond;
  watch::Snapshot job = healthy_job(2);
  for (watch::RankView& view : job.ranks) view.steps_per_second.reset();
  History history;
  history.add(job);
  EXPECT_EQ(history.calls_per_second(0), std::nullopt);
  job.taken_wall_ns += 2 * kSecond;
  job.ranks[0].calls += 10;
  job.ranks[1].calls = 3;  // restarted
  history.add(job);
  EXPECT_EQ(history.calls_per_second(0), 5.0);
  EXPECT_EQ(history.calls_per_second(1), std::nullopt);
  EXPECT_EQ(history.job_calls_per_second(), 5.0);
  EXPECT_EQ(history.of_job().back(), 5.0F) << "nothing tells of steps";
}

TEST(History, TheCurveGoesFromZeroToTheLargest) {
  EXPECT_EQ(sparkline({0, 5, 10}, 10), "▁▅█");
  EXPECT_EQ(sparkline({0, 5, 10}, 2), "▅█");
  EXPECT_EQ(sparkline({0, 0}, 10), "▁▁");
  EXPECT_EQ(sparkline({}, 10), "");
}

TEST(History, FiguresThatAreNoneDoNoHarm) {
  watch::Snapshot job = healthy_job(1);
  job.ranks[0].steps_per_second = std::numeric_limits<double>::quiet_NaN();
  History history;
  history.add(job);
  EXPECT_EQ(sparkline(history.of_rank(0), 5), "");
  EXPECT_EQ(job_step_rate(job), std::nullopt);
}

}  // namespace
}  // namespace lockstep::top
