#include "check/probe/measuring_rounds.h"

#include <set>

#include <gtest/gtest.h>

namespace lockstep::probe {
namespace {

TEST(MeasuringRounds, EveryPairOnceAndNoHostTwiceInARound) {
  for (const std::size_t hosts : {0, 1, 2, 3, 8, 13}) {
    std::set<std::pair<std::size_t, std::size_t>> seen;
    for (const MeasuringRound& round : measuring_rounds(hosts)) {
      std::set<std::size_t> busy;
      for (const auto& pair : round) {
        EXPECT_TRUE(seen.insert(pair).second);
        EXPECT_TRUE(busy.insert(pair.first).second);
        EXPECT_TRUE(busy.insert(pair.second).second);
      }
    }
    EXPECT_EQ(seen.size(), hosts * (hosts - (hosts > 0 ? 1 : 0)));
  }
}

}  // namespace
}  // namespace lockstep::probe
