#include <gtest/gtest.h>

#include "model/line_origin.h"

namespace lockstep::model {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;

std::optional<std::int64_t> time_of(std::string_view line, std::string_view rest) {
  const auto time = take_time(line);
  EXPECT_EQ(line, rest);
  return time;
}

TEST(LineTime, OfEveryStyle) {
  constexpr std::int64_t kDated = 1'730'541'601 * kSecond;  // 2 November 2024, 10:00:01
  EXPECT_EQ(time_of("2024-11-02 10:00:01 x", "x"), kDated);
  EXPECT_EQ(time_of("2024-11-02 10:00:01,250: x", "x"), kDated + kSecond / 4);
  EXPECT_EQ(time_of("2024-11-02T10:00:01.5Z x", "x"), kDated + kSecond / 2);
  EXPECT_EQ(time_of("[2024-11-02 10:00:01] x", "x"), kDated);
  EXPECT_EQ(time_of("[2024-11-02 10:00:01.5: E operations.cc:548] x", "E operations.cc:548] x"),
            kDated + kSecond / 2);
  EXPECT_EQ(time_of("2024/11/02 10:00:01 x", "x"), kDated);
  EXPECT_EQ(time_of("Sat Nov  2 10:00:01 2024[3]<stderr>:x", "[3]<stderr>:x"), kDated);
  EXPECT_EQ(time_of("Nov 12 10:00:01 host kernel: x", "host kernel: x"), 315 * kDay + 36'001 * kSecond);
  EXPECT_EQ(time_of("I0102 10:00:01.5 140 x", "140 x"), kDay + 36'001 * kSecond + kSecond / 2);
  EXPECT_EQ(time_of("10:00:01 x", "x"), 36'001 * kSecond);
}

TEST(LineTime, OfNothingElse) {
  for (const std::string_view line : {"", "2024-13-02 10:00:01 x", "2024-11-02", "25:00:01 x", "10:61:01 x",
                                      "I1302 10:00:01 x", "Foo 12 10:00:01", "[10:00:01 x", "12 steps"}) {
    EXPECT_EQ(time_of(line, line), std::nullopt) << line;
  }
}

}  // namespace
}  // namespace lockstep::model
