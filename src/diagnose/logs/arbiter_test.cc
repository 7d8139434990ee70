#include "diagnose/logs/arbiter.h"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace lockstep::logs {
namespace {

constexpr std::size_t kColumns = 1 + kLeaves + 1 + kFixPatterns;
constexpr std::size_t kMemory = static_cast<std::size_t>(model::Leaf::kRunMem);
constexpr std::size_t kCommunication = static_cast<std::size_t>(model::Leaf::kRunComm);

// "e:memory" speaks for a failure, of memory, that one rank alone has; "s:done" against any failure.
std::string two_features(std::string_view reliability = "") {
  std::array<std::int8_t, kColumns> memory = {};
  memory[0] = 40;
  memory[1 + kMemory] = 50;
  memory[1 + kLeaves] = -30;
  std::array<std::int8_t, kColumns> done = {};
  done[0] = -90;
  // FNV-1a of the names; the file holds them in ascending order.
  std::vector<std::pair<std::uint32_t, std::array<std::int8_t, kColumns>>> features;
  for (const auto& [name, weights] :
       {std::pair{std::string("e:memory"), memory}, {std::string("s:done"), done}}) {
    std::uint32_t hash = 2166136261U;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    features.emplace_back(hash, weights);
  }
  if (features[0].first > features[1].first) std::swap(features[0], features[1]);
  std::vector<double> bias(kColumns, 0);
  bias[1 + kCommunication] = 1;
  std::string file = fmt::format(
      R"({{"features":2,"blocks":[1,1,1,1,1],"bias":[{}],"scale":[{}],"calibration":[0,1,0,0,0],"reliability":[{}],"scope_by_leaf":[{}],"fix_by_leaf":[{}]}})",
      fmt::join(bias, ","), fmt::join(std::vector<double>(kColumns, 0.1), ","), reliability,
      fmt::join(std::vector<double>(kLeaves, 0), ","),
      fmt::join(std::vector<double>(kLeaves * kFixPatterns, 0), ","));
  file += '\n';
  file.resize((file.size() + 63) / 64 * 64);
  for (const auto& [hash, weights] : features) file.append(reinterpret_cast<const char*>(&hash), sizeof hash);
  file += "\x10\x10";
  for (const auto& [hash, weights] : features)
    file.append(reinterpret_cast<const char*>(weights.data()), weights.size());
  return file;
}

TEST(Arbiter, WeighsWhatItKnowsAndSaysWhy) {
  const std::string model = two_features();
  const Opinion opinion = opinion_of(model, {{"e:memory", 1}, {"e:unheard", 1}});
  EXPECT_GT(opinion.failed, 0.9);
  EXPECT_EQ(opinion.best, model::Leaf::kRunMem);
  EXPECT_EQ(opinion.runner_up, model::Leaf::kRunComm);
  EXPECT_LT(opinion.distributed, 0.1);
  ASSERT_EQ(opinion.reasons.size(), 1U);
  EXPECT_EQ(opinion.reasons.front().feature, "e:memory");
  EXPECT_GT(confidence_in(model, opinion, model::Leaf::kRunMem, true), 0.7);
}

TEST(Arbiter, SaysInWordsWhatDecidedAgainstWhat) {
  const Opinion opinion = opinion_of(two_features(), {{"e:memory", 1}});
  EXPECT_EQ(
      reasons_in_words(opinion),
      "the log as a whole looks like RUN-MEM rather than RUN-COMM; what counted most: \"memory\" where a "
      "failure is told");
  EXPECT_EQ(reasons_in_words(opinion_of(two_features(), {})),
            "nothing in the log tells RUN-COMM from PKG-BUILD");
}

TEST(Arbiter, ClaimsNoMoreThanSuchAnswersWereRight) {
  const Opinion opinion = opinion_of(two_features(), {{"e:memory", 1}});
  const auto claimed = [&](std::string_view reliability) {
    return confidence_in(two_features(reliability), opinion, model::Leaf::kRunMem, true);
  };
  const double plain = claimed("");
  EXPECT_EQ(claimed("0.5,0.5"), plain);
  EXPECT_LT(claimed("0.99,0.4"), plain / 2);
  EXPECT_GT(claimed("0.2,0.95"), 0.95);
}

TEST(Arbiter, KnowsWhatAJobThatEndedWellSays) {
  EXPECT_LT(opinion_of(two_features(), {{"e:memory", 1}, {"s:done", 1}}).failed, 0.1);
}

TEST(Arbiter, WithoutAnythingKnownTheUsualIsLikeliest) {
  const Opinion opinion = opinion_of(two_features(), {{"e:unheard", 1}});
  EXPECT_EQ(opinion.best, model::Leaf::kRunComm);
  EXPECT_TRUE(opinion.reasons.empty());
}

TEST(Arbiter, AModelThatIsCutSaysNothing) {
  const std::string model = two_features();
  for (const std::size_t size : {std::size_t{0}, std::size_t{20}, model.size() - 1}) {
    const Opinion opinion = opinion_of(std::string_view(model).substr(0, size), {{"e:memory", 1}});
    EXPECT_EQ(opinion.failed, 0);
    EXPECT_EQ(confidence_in(std::string_view(model).substr(0, size), opinion, model::Leaf::kRunMem, true), 0);
  }
}

TEST(Arbiter, TheEmbeddedModelKnowsTheCatalogue) {
  const Opinion opinion = opinion_of(
      embedded_arbiter(), {{"s:code mem.gpu", 1}, {"s:leaf RUN-MEM decisive", 1}, {"e:memory", 1}});
  EXPECT_EQ(opinion.best, model::Leaf::kRunMem);
}

}  // namespace
}  // namespace lockstep::logs
