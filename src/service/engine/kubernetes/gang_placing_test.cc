#include "service/engine/kubernetes/gang_placing.h"

#include <gtest/gtest.h>

namespace lockstep::service {
namespace {

using std::chrono::seconds;
using Step = GangPlacing::Step;

constexpr seconds kPatience{60};
const GangPlacing::Clock::time_point kBegin{};

std::vector<PodState> pods(int placed, int waiting) {
  std::vector<PodState> made(static_cast<std::size_t>(placed + waiting));
  for (int rank = 0; rank < placed + waiting; ++rank) {
    PodState& pod = made[static_cast<std::size_t>(rank)];
    pod.rank = rank;
    pod.phase = rank < placed ? "Running" : "Pending";
    pod.node = rank < placed ? "n1" : "";
  }
  return made;
}

TEST(GangPlacing, WhoHoldsNothingOrAllIsLeftAlone) {
  GangPlacing placing(kPatience, 1);
  for (int hour = 0; hour < 3; ++hour) {
    EXPECT_EQ(placing.next(pods(0, 3), kBegin + seconds(3600 * hour)), Step::kGoOn);
    EXPECT_EQ(placing.next(pods(3, 0), kBegin + seconds(3600 * hour + 1)), Step::kGoOn);
  }
}

TEST(GangPlacing, HalfOfTheJobIsGivenBackForAWhile) {
  GangPlacing placing(kPatience, 1);
  EXPECT_EQ(placing.next(pods(2, 1), kBegin), Step::kGoOn);
  EXPECT_EQ(placing.next(pods(2, 1), kBegin + seconds(59)), Step::kGoOn);
  EXPECT_EQ(placing.next(pods(2, 1), kBegin + seconds(60)), Step::kGiveBack);
  EXPECT_EQ(placing.next({}, kBegin + seconds(89)), Step::kStayAway);
  EXPECT_EQ(placing.next(pods(1, 0), kBegin + seconds(160)), Step::kStayAway) << "not all pods are gone";
  EXPECT_EQ(placing.next({}, kBegin + seconds(161)), Step::kMakeAgain);
  EXPECT_EQ(placing.next(pods(2, 1), kBegin + seconds(162)), Step::kGoOn);
}

TEST(GangPlacing, TwoJobsDoNotComeBackTogether) {
  const auto back_after = [](std::uint32_t seed) {
    GangPlacing placing(kPatience, seed);
    placing.next(pods(1, 1), kBegin);
    placing.next(pods(1, 1), kBegin + kPatience);
    int waited = 0;
    while (placing.next({}, kBegin + kPatience + seconds(waited)) == Step::kStayAway) ++waited;
    return waited;
  };
  EXPECT_NE(back_after(1), back_after(2));
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    EXPECT_GE(back_after(seed), 30);
    EXPECT_LE(back_after(seed), 91);
  }
}

TEST(GangPlacing, WithoutPatienceNothingIsGivenBack) {
  GangPlacing placing(seconds(0), 1);
  placing.next(pods(1, 1), kBegin);
  EXPECT_EQ(placing.next(pods(1, 1), kBegin + seconds(3600)), Step::kGoOn);
}

}  // namespace
}  // namespace lockstep::service
