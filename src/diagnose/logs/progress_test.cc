#include "diagnose/logs/progress.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lockstep::logs {
namespace {

Progress of(const std::vector<double>& values) {
  Progress progress;
  for (const double value : values) progress.push_back({value, {progress.size(), progress.size() + 1}});
  return progress;
}

TEST(Progress, ReadsRatesAndStepTimes) {
  const auto rate = [](std::string_view line) { return rates_in(line, 0, line.size()).at(0).value; };
  EXPECT_DOUBLE_EQ(rate("12%|# | 12/100 [00:03<00:30, 4.00it/s]"), 4);
  EXPECT_DOUBLE_EQ(rate("step 3 | loss 2 | 2.0 s/it"), 0.5);
  EXPECT_DOUBLE_EQ(rate("iteration 1/ 9 | elapsed time per iteration (ms): 500.0 | lm loss: 1"), 1 / 500.0);
  EXPECT_TRUE(rates_in("nothing here", 0, 12).empty());
}

TEST(Progress, ReadsLosses) {
  const auto loss = [](std::string_view line) { return losses_in(line, 0, line.size()).at(0).value; };
  EXPECT_DOUBLE_EQ(loss("step 1 loss: 2.50"), 2.5);
  EXPECT_DOUBLE_EQ(loss("{'loss': 1.25, 'lr': 1}"), 1.25);
  EXPECT_DOUBLE_EQ(loss("lm loss: 5.0E-01 |"), 0.5);
  EXPECT_TRUE(losses_in("no loss here", 0, 12).empty());
}

TEST(Progress, ComparesLikeWithLike) {
  const std::string_view text =
      "Train: 1 4.00it/s\nTrain: 2 4.00it/s\nTrain: 3 4.00it/s\nValidation: 1 0.10it/s\nValidation: 2 "
      "0.10it/s\n";
  EXPECT_EQ(rates_in(text, 0, text.size()).size(), 3U);
}

TEST(Progress, ARateThatFallsAndStaysLow) {
  EXPECT_TRUE(where_rate_fell(of({10, 10, 2, 2, 2})));
  EXPECT_FALSE(where_rate_fell(of({10, 10, 2, 9, 9})));
  EXPECT_FALSE(where_rate_fell(of({10, 10, 8, 7, 7})));
  EXPECT_FALSE(where_rate_fell(of({10, 2, 2})));
}

TEST(Progress, ManyRatesMayHoldAFewWildOnes) {
  std::vector<double> rates;
  for (int step = 0; step < 300; ++step) rates.push_back(step % 20 == 7 ? 100 : step < 150 ? 10 : 3);
  EXPECT_TRUE(where_rate_fell(of(rates)));
  for (double& rate : rates) rate = rate == 3 ? 5 : rate;
  EXPECT_FALSE(where_rate_fell(of(rates)));
}

Progress sixteen_from(double first, double last) {
  std::vector<double> losses;
  for (int i = 0; i < 16; ++i) losses.push_back(first + (last - first) * i / 15);
  return of(losses);
}

TEST(Progress, ALossThatGrowsWithoutBound) {
  const Progress start = sixteen_from(2, 2);
  EXPECT_TRUE(where_loss_grew(start, sixteen_from(100, 250)));
  EXPECT_FALSE(where_loss_grew(start, sixteen_from(100, 150))) << "noise in a small loss";
  EXPECT_FALSE(where_loss_grew(of({2, 2, 2, 2}), sixteen_from(100, 250))) << "too few to know the beginning";
}

TEST(Progress, ALossThatRisesAndStaysHigh) {
  EXPECT_TRUE(where_loss_rose(of({3.2, 3.1, 7.9, 9.8, 10.4})));
  EXPECT_FALSE(where_loss_rose(of({3.2, 3.1, 7.9, 3.0, 2.9})));
  EXPECT_FALSE(where_loss_rose(of({3.2, 3.1, 3.0, 2.9, 2.8})));
  EXPECT_TRUE(where_loss_rose(of({11, 8, 4, 3, 3, 8, 9, 9})));
  EXPECT_FALSE(where_loss_rose(of({0.1, 9, 0.2, 8, 9, 8})));
}

}  // namespace
}  // namespace lockstep::logs
