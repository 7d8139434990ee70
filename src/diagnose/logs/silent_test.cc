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

}  // namespace
}  // namespace lockstep::logs
