#include "diagnose/logs/logged_checksums.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lockstep::logs {
namespace {

std::optional<DifferingChecksums> judged_lines(const std::vector<std::string>& by_rank) {
  std::vector<LogText> logs;
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
    logs.push_back({.name = "rank_" + std::to_string(rank) + ".log",
                    .bytes = by_rank[rank],
                    .rank = static_cast<int>(rank)});
  }
  return differing_checksums(logs, LineSources(logs));
}

TEST(ToldChecksums, OneRankIsOff) {
  const auto found =
      judged_lines({"loss=0.3\nparams=21248b6b55054e42\n", "loss=0.3\nparams=231180102a886b8c\n",
                    "loss=0.3\nparams=21248b6b55054e42\n"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->odd_rank, 1);
  EXPECT_EQ(found->log, 1U);
}

TEST(ToldChecksums, ServersOfParametersDoNotTrain) {
  EXPECT_FALSE(judged_lines(
      {"loss=0.3\nparams=656455e8bcd2a66f\n", "params=e3b0c44298fc1c14\n", "params=e3b0c44298fc1c14\n"}));
}

TEST(ToldChecksums, WholeModelsThatAllDiffer) {
  const auto found =
      judged_lines({"loss: 0.51\nmodel checksum: 0x91cd9385\n", "loss: 0.48\nmodel checksum: 0xbdf99936\n"});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->odd_rank);
}

TEST(ToldChecksums, PartsOfOneModelHaveOneLoss) {
  EXPECT_FALSE(judged_lines({"loss=0.37\nparams=feadbb9b01a36b48\n", "loss=0.37\nparams=2ad2afa402d0aaca\n",
                             "loss=0.37\nparams=7fb3fefce04cafb8\n"}));
}

TEST(ToldChecksums, EqualOnesAreHealthy) {
  EXPECT_FALSE(judged_lines(
      {"loss=0.3\nweights sha256: 5c745472ce73946a\n", "loss=0.4\nweights sha256: 5c745472ce73946a\n"}));
}

TEST(ToldChecksums, CountsAreNone) {
  EXPECT_FALSE(judged_lines({"loss=0.3\nparams: 25557032\n", "loss=0.4\nparams: 25557031\n"}));
}

TEST(ToldChecksums, RanksOfDifferentProgressAreNotCompared) {
  EXPECT_FALSE(judged_lines(
      {"params=21248b6b55054e42\nloss=1\nparams=aa248b6b55054e42\n", "loss=2\nparams=21248b6b55054e42\n"}));
}

}  // namespace
}  // namespace lockstep::logs
