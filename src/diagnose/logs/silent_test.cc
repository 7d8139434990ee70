#include "diagnose/logs/silent.h"

#include <vector>

#include <gtest/gtest.h>

namespace lockstep::logs {
namespace {

std::optional<std::size_t> stopped(const std::vector<std::string>& texts) {
  std::vector<LogText> logs;
  for (std::size_t i = 0; i < texts.size(); ++i)
    logs.push_back({"rank" + std::to_string(i), texts[i], static_cast<int>(i)});
  const auto found = log_that_stopped(logs);
  return found ? std::optional(found->log) : std::nullopt;
}

TEST(StoppedLog, IsTheOneThatEndsMinutesBeforeTheOthers) {
  EXPECT_EQ(stopped({"2024-11-02 10:30:00 step 90\n", "2024-11-02 10:20:00 step 60\nno time here\n",
                     "2024-11-02 10:30:01 step 90\n"}),
            1U);
}

TEST(StoppedLog, IsNoneWhereAllEndTogether) {
  EXPECT_FALSE(stopped({"2024-11-02 10:30:00 a\n", "2024-11-02 10:29:30 b\n", "2024-11-02 10:30:01 c\n"}));
  EXPECT_FALSE(stopped({"2024-11-02 10:30:00 a\n", "2024-11-02 10:20:00 b\n", "2024-11-02 10:25:00 c\n"}));
}

TEST(StoppedLog, NeedsTimesInAllAndThreeOfThem) {
  EXPECT_FALSE(stopped({"2024-11-02 10:30:00 a\n", "step 3\n", "2024-11-02 10:30:01 c\n"}));
  EXPECT_FALSE(stopped({"2024-11-02 10:30:00 a\n", "2024-11-02 10:20:00 b\n"}));
}

bool is_silent_until(const std::string& time_of_limit, std::string_view steps) {
  const std::string text = std::string(steps) + "slurmstepd: error: *** JOB 42 ON n1 CANCELLED AT " +
                           time_of_limit + " DUE TO TIME LIMIT ***\n";
  const LogText log{"job.log", text, std::nullopt};
  const std::size_t begin = text.find("slurmstepd");
  return silent_until(std::span(&log, 1), 0, {begin, text.size() - 1}).has_value();
}

TEST(SilentUntil, TheLimitIsAHangWhereStepsStoppedLongBefore) {
  constexpr std::string_view kSteps =
      "0: 2026-11-18 10:00:00 step 1 loss 2.0\n1: 2026-11-18 10:00:00 step 1 loss 2.0\n"
      "0: 2026-11-18 10:00:10 step 2 loss 2.0\n1: 2026-11-18 10:00:10 step 2 loss 2.0\n"
      "0: 2026-11-18 10:00:20 step 3 loss 2.0\n1: 2026-11-18 10:00:20 step 3 loss 2.0\n";
  EXPECT_TRUE(is_silent_until("2026-11-18T13:47:00", kSteps));
  EXPECT_FALSE(is_silent_until("2026-11-18T10:00:29", kSteps));  // it worked up to the limit
  EXPECT_FALSE(is_silent_until("2026-11-18T13:00:29", kSteps));  // a clock of another time zone
  EXPECT_FALSE(is_silent_until("2026-11-18T13:47:00", "step 1 loss 2.0\nstep 2 loss 2.0\nstep 3 loss 2.0\n"));
}

TEST(SilentUntil, NeedsStepsThatShowAPace) {
  EXPECT_FALSE(is_silent_until("2026-11-18T13:47:00",
                               "2026-11-18 10:00:00 step 1 loss 2.0\n2026-11-18 10:00:10 step 2 loss 2.0\n"));
}

TEST(SilentUntil, ALongPauseBetweenStepsMayComeAgain) {
  EXPECT_FALSE(is_silent_until("2026-11-18T11:52:00",
                               "2026-11-18 10:00:00 step 1 loss 2.0\n2026-11-18 10:20:00 step 2 loss 2.0\n"
                               "2026-11-18 10:40:00 step 3 loss 2.0\n"));
}

TEST(SilentUntil, MinutesBeforeTheLimitAreNoHang) {
  constexpr std::string_view kSteps =
      "2026-11-18 10:00:00 step 1 loss 2.0\n2026-11-18 10:00:01 step 2 loss 2.0\n"
      "2026-11-18 10:00:02 step 3 loss 2.0\n";
  EXPECT_FALSE(is_silent_until("2026-11-18T10:09:00", kSteps));
  EXPECT_TRUE(is_silent_until("2026-11-18T10:12:00", kSteps));
}

}  // namespace
}  // namespace lockstep::logs
