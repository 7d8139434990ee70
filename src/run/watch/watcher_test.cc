#include "run/watch/watcher.h"

#include <gtest/gtest.h>

#include "model/finding_code.h"
#include "run/watch/live_judge.h"

namespace lockstep::watch {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

model::Finding about(const char* code, int rank) {
  model::Finding finding;
  finding.code = code;
  finding.root_ranks = {rank};
  return finding;
}

TEST(Slowness, IsSaidOfWhoIsSlowAgainAndAgain) {
  SlowRanks slow;
  EXPECT_TRUE(slow.confirm({about("straggler.rank", 1)}).empty());
  EXPECT_TRUE(slow.confirm({about("straggler.rank", 1)}).empty());
  EXPECT_TRUE(slow.confirm({about("straggler.rank", 2)}).empty()) << "another";
  EXPECT_TRUE(slow.confirm({about("straggler.rank", 1)}).empty()) << "not in a row";
  EXPECT_TRUE(slow.confirm({about("straggler.rank", 1)}).empty());
  EXPECT_EQ(slow.confirm({about("straggler.rank", 1)}).size(), 1U);
}

TEST(Slowness, NeedsMoreLooksOnACrowdedHost) {
  SlowRanks slow;
  for (int look = 1; look < 8; ++look) EXPECT_TRUE(slow.confirm({about("straggler.rank", 1)}, true).empty());
  EXPECT_EQ(slow.confirm({about("straggler.rank", 1)}, true).size(), 1U);
}

TEST(Slowness, ResultsThatDifferAreSaidAtOnce) {
  ASSERT_TRUE(about("divergence.outputs_differ", 1).code.is(model::CodeFamily::kDivergence));
  EXPECT_EQ(SlowRanks().confirm({about("divergence.outputs_differ", 1)}).size(), 1U);
}

TEST(Pace, LeavesTheCoreToTheJob) {
  const Clock::time_point begin{};
  EXPECT_EQ(next_judgement(begin, begin + 100ms), begin + 1100ms);
  EXPECT_EQ(next_slow_look(begin, begin + 100ms), begin + 15s);
  EXPECT_EQ(next_slow_look(begin, begin + 2s), begin + 22s);
}

TEST(JudgedLive, SaysOnlyWhatIsLikely) {
  model::Finding finding;
  finding.confidence = 0.5;
  EXPECT_TRUE(is_likely(finding));
  finding.confidence = 0.49;
  EXPECT_FALSE(is_likely(finding));
}

TEST(EvidenceShare, OfEachRankShrinksWithTheirNumber) {
  EXPECT_EQ(share_of_each(0).events, 500'000U);
  EXPECT_EQ(share_of_each(1).bytes, std::size_t{1} << 20);
  EXPECT_EQ(share_of_each(64).bytes, std::size_t{1} << 20);
  EXPECT_EQ(share_of_each(128).bytes, std::size_t{1} << 19);
  EXPECT_EQ(share_of_each(5'000).events, 100U);
  EXPECT_EQ(share_of_each(100'000).events, 64U);
}

}  // namespace
}  // namespace lockstep::watch
