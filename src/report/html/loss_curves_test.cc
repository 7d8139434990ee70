#include "report/html/loss_curves.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html/testing/log_file.h"

namespace lockstep::html {
namespace {

using ::testing::ElementsAre;

std::vector<LossCurve> curves_in(std::string_view text, std::optional<int> rank = std::nullopt,
                                 std::size_t most = 100) {
  std::vector<readers::LogFile> logs;
  logs.push_back(testing::log_file("a.log", text, rank));
  return loss_curves_in(logs, most);
}

TEST(LossCurves, RankStepAndLossOfALine) {
  const auto curves = curves_in("lab rank=2 step=4 loss=9.15\nlab rank=0 step=4 loss=1e-3\n");
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(curves[0].rank, 0);
  EXPECT_THAT(curves[0].points, ElementsAre(LossPoint{4, 1e-3}));
  EXPECT_EQ(curves[1].rank, 2);
  EXPECT_THAT(curves[1].points, ElementsAre(LossPoint{4, 9.15}));
}

TEST(LossCurves, FormsThatTrainersPrint) {
  const auto curves = curves_in(
      "[rank1]: Iteration 20: Loss 0.5\n"
      "{'loss': 0.25, 'step': 30}\n"
      "step [40/100] loss: 0.125\n",
      1);
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_THAT(curves[0].points, ElementsAre(LossPoint{20, 0.5}, LossPoint{30, 0.25}, LossPoint{40, 0.125}));
}

TEST(LossCurves, ALossThatIsNoNumberIsKept) {
  const auto curves = curves_in("step=1 loss=nan\n", 0);
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_TRUE(std::isnan(curves[0].points[0].loss));
}

TEST(LossCurves, WordsAboutLossAreNoPoints) {
  EXPECT_TRUE(curves_in("the loss function is mse\nglossary 12\npacket loss\n", 0).empty());
}

TEST(LossCurves, ManyPointsAreThinnedAndKeepTheLast) {
  std::string text;
  for (int step = 0; step < 1000; ++step)
    text += "step=" + std::to_string(step) + " loss=" + std::to_string(step) + "\n";
  const auto curves = curves_in(text, 0, 50);
  EXPECT_LE(curves[0].points.size(), 51U);
  EXPECT_GE(curves[0].points.size(), 25U);
  EXPECT_EQ(curves[0].points.front().step, 0);
  EXPECT_EQ(curves[0].points.back().step, 999);
}

}  // namespace
}  // namespace lockstep::html
