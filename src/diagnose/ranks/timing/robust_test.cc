#include "diagnose/ranks/timing/robust.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::ranks {
namespace {

double slow_median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

RC_GTEST_PROP(MedianOfOthers, AgreesWithLeavingEachOutInTurn, ()) {
  const int count = *rc::gen::inRange(2, 12);
  const auto numbers =
      *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(count), rc::gen::inRange(-20, 20));
  const std::vector<double> values(numbers.begin(), numbers.end());
  std::vector<double> reordered = values;
  const MedianOfOthers median(reordered);
  for (std::size_t at = 0; at < values.size(); ++at) {
    std::vector<double> others = values;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(at));
    RC_ASSERT(median.without(values[at]) == slow_median(others));
  }
}

TEST(TrimmedCentre, IsNotMovedByAFifthOfWildValues) {
  std::vector<double> values(100, 5.0);
  for (std::size_t at = 0; at < 19; ++at) values[at * 5] = 1e9;
  EXPECT_EQ(trimmed_centre(values).value, 5.0);
}

TEST(TrimmedCentre, IsOffByAboutItsErrorForNormalValues) {
  std::mt19937 random(1);
  std::normal_distribution<> normal(3, 2);
  int far = 0;
  for (int round = 0; round < 1000; ++round) {
    std::vector<double> values(100);
    for (double& value : values) value = normal(random);
    const Centre centre = trimmed_centre(values);
    EXPECT_NEAR(centre.error, 0.2 * 1.06, 0.12);
    far += std::abs(centre.value - 3) > 2 * centre.error;
  }
  EXPECT_LT(far, 70);  // 5 % expected
  EXPECT_GT(far, 15);
}

TEST(TrimmedCentre, IsLessSureWhereNeighboursResembleEachOther) {
  std::vector<double> by_turns;
  std::vector<double> in_stretches;
  for (int at = 0; at < 100; ++at) {
    by_turns.push_back(at % 2);
    in_stretches.push_back(at / 25 % 2);
  }
  EXPECT_GT(trimmed_centre(in_stretches).error, 3 * trimmed_centre(by_turns).error);
}

TEST(TrimmedCentre, KnowsNothingOfTwo) {
  EXPECT_EQ(trimmed_centre(std::vector<double>{1, 2}).significance(), 0);
}

}  // namespace
}  // namespace lockstep::ranks
