#include "diagnose/ranks/timing/slow_link.h"

#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "diagnose/ranks/testing/job_simulation.h"
#include "diagnose/ranks/testing/relabel.h"

namespace lockstep::ranks {
namespace {

using testing::JobSketch;
using testing::simulate;
using testing::Simulation;

std::vector<SlowLink> slow_links(const model::Job& job) {
  const Alignment alignment = align(job);
  return find_slow_links(job, alignment, measure_timings(job, alignment));
}

// Every rank sends to the next, around a ring: work, then a message that both ends are in until it has
// arrived. Rank 2 is a slow worker, which its neighbours feel; only one link is slow.
JobSketch ring(int ranks, int ranks_per_host, int slow_from, double slow_factor, int messages = 100) {
  JobSketch sketch(ranks);
  for (int host = 0; host * ranks_per_host < ranks; ++host) sketch.job.hosts.push_back({"h", {}});
  for (int rank = 0; rank < ranks; ++rank) sketch.history(rank).rank.host = rank / ranks_per_host;
  std::mt19937 random(7);
  for (int message = 0; message < messages; ++message) {
    for (int from = 0; from < ranks; ++from) {
      const int to = (from + 1) % ranks;
      const bool leaves_host = from / ranks_per_host != to / ranks_per_host;
      const double transfer_ms = (leaves_host ? 9.0 : 2.0) * (from == slow_from ? slow_factor : 1) *
                                 (1 + 0.1 * std::uniform_real_distribution<>()(random));
      const std::int64_t both_there = (message * 100 + (from == 2 ? 60 : 30)) * JobSketch::kMillisecond;
      const auto end = both_there + static_cast<std::int64_t>(transfer_ms * JobSketch::kMillisecond);
      const std::int64_t send_begin = from == 2 ? both_there : both_there - 20 * JobSketch::kMillisecond;
      const std::int64_t receive_begin = from == 2 ? both_there - 50 * JobSketch::kMillisecond : both_there;
      sketch.call(from, {.communicator = sketch.world(),
                         .operation = model::Operation::kSend,
                         .peer = to,
                         .begin_ns = send_begin,
                         .end_ns = end});
      sketch.call(to, {.communicator = sketch.world(),
                       .operation = model::Operation::kReceive,
                       .peer = from,
                       .begin_ns = receive_begin,
                       .end_ns = end});
    }
  }
  return sketch;
}

TEST(SlowLink, FindsTheSlowPairAndNotTheSlowSender) {
  const JobSketch sketch = ring(8, 8, 5, 4);
  const std::vector<SlowLink> slow = slow_links(sketch.job);
  ASSERT_EQ(slow.size(), 1U);
  EXPECT_TRUE(slow[0].is_pair);
  EXPECT_EQ(slow[0].ranks, (std::vector{5, 6}));
  EXPECT_NEAR(slow[0].times_slower(), 4, 0.3);
  EXPECT_EQ(slow[0].transfers, 100U);
  const auto finding = finding_of(sketch.job, slow);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->code, "straggler.link");
  EXPECT_EQ(finding->root_ranks, (std::vector{5, 6}));
  EXPECT_TRUE(finding->title.starts_with("data from rank 5 to rank 6 is 4.0 times as long on its way"))
      << finding->title;
}

TEST(SlowLink, DoesNotCompareLinksThatLeaveTheHostWithThoseThatStay) {
  EXPECT_TRUE(slow_links(ring(8, 4, -1, 1).job).empty());
}

TEST(SlowLink, IsSilentWhereHostsAreUnknownOrMessagesFew) {
  JobSketch sketch = ring(8, 8, 5, 4);
  for (model::RankHistory& history : sketch.job.ranks) history.rank.host = std::nullopt;
  EXPECT_TRUE(slow_links(sketch.job).empty());
  EXPECT_TRUE(slow_links(ring(8, 8, 5, 4, 19).job).empty());
}

TEST(SlowLink, FindsTheSlowCommunicator) {
  Simulation simulation;
  simulation.ranks = 16;
  simulation.ranks_per_host = 16;
  simulation.phases = {{.groups = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9, 10, 11}}}};
  JobSketch sketch = simulate(simulation);
  for (const int rank : {4, 5}) {
    for (model::Event& event : sketch.history(rank).events) event.end_ns += 2 * JobSketch::kMillisecond;
  }
  const std::vector<SlowLink> slow = slow_links(sketch.job);
  ASSERT_EQ(slow.size(), 1U);
  EXPECT_FALSE(slow[0].is_pair);
  EXPECT_EQ(slow[0].ranks, (std::vector{4, 5}));
  EXPECT_EQ(slow[0].compared, 3U);
}

TEST(SlowLink, IsSilentForHealthyGroups) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    Simulation simulation;
    simulation.ranks = 16;
    simulation.seed = seed;
    simulation.noise = testing::kAllNoise[seed % std::size(testing::kAllNoise)];
    simulation.phases = testing::grid_phases(16, 4, 2);
    EXPECT_TRUE(slow_links(simulate(simulation).job).empty()) << seed;
  }
}

// The obvious way: the n-th send of a pair belongs to its n-th receive, or the one with the same number.
RC_GTEST_PROP(MessageLinks, AgreeWithTheObviousWay, ()) {
  JobSketch sketch(3);
  const bool is_numbered = *rc::gen::arbitrary<bool>();
  std::map<std::pair<int, int>, std::map<std::uint64_t, std::int64_t>> sent;
  std::map<std::pair<int, int>, std::map<std::uint64_t, std::int64_t>> received;
  for (const auto& [from, is_send, length] : *rc::gen::container<std::vector<std::tuple<int, bool, int>>>(
           rc::gen::tuple(rc::gen::inRange(0, 3), rc::gen::arbitrary<bool>(), rc::gen::inRange(1, 50)))) {
    const int to = (from + 1) % 3;
    auto& lengths = is_send ? sent[{from, to}] : received[{from, to}];
    const std::uint64_t number = lengths.size();
    lengths[number] = length;
    sketch.call(is_send ? from : to,
                {.communicator = sketch.world(),
                 .sequence = is_numbered ? number : model::kNoSequence,
                 .operation = is_send ? model::Operation::kSend : model::Operation::kReceive,
                 .peer = is_send ? to : from,
                 .begin_ns = 100,
                 .end_ns = 100 + length});
  }
  std::map<std::pair<int, int>, std::vector<double>> expected;
  for (const auto& [pair, lengths] : received) {
    for (const auto& [number, length] : lengths) {
      if (!sent[pair].contains(number)) continue;
      expected[pair].push_back(static_cast<double>(std::min(length, sent[pair][number])));
    }
  }
  std::map<std::pair<int, int>, std::vector<double>> found;
  for (const MessageLink& link : message_links(sketch.job)) {
    found[{static_cast<int>(link.from), static_cast<int>(link.to)}] = link.transfers_ns;
  }
  RC_ASSERT(found == expected);
}

TEST(SlowLink, DoesNotDependOnOrderOrNumbers) {
  const JobSketch sketch = ring(8, 8, 5, 4);
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    const std::vector<int> numbers = testing::other_numbers(8, seed);
    const std::vector<SlowLink> slow = slow_links(testing::relabel(sketch.job, numbers, seed));
    ASSERT_EQ(slow.size(), 1U);
    EXPECT_EQ(slow[0].ranks, (std::vector{numbers[5], numbers[6]}));
  }
}

}  // namespace
}  // namespace lockstep::ranks
