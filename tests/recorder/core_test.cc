// The pieces of the recorder that stand on their own.
#include <algorithm>
#include <array>
#include <atomic>
#include <set>
#include <thread>
#include <vector>
#include <xxhash.h>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "checksum.h"
#include "rank_runs.h"
#include "sequence_numbers.h"
#include "xxh3.h"

namespace lockstep::recorder {
namespace {

TEST(SequenceNumbers, CountEachKeyByItself) {
  SequenceNumbers numbers;
  ASSERT_EQ(numbers.create(), 0);
  EXPECT_EQ(numbers.next(1, -1, 0), 1U);
  EXPECT_EQ(numbers.next(2, -1, 0), 1U);
  EXPECT_EQ(numbers.next(1, -1, 0), 2U);
  EXPECT_EQ(numbers.next(1, 0, 10), 1U);
  EXPECT_EQ(numbers.next(1, 0, 11), 1U);
  EXPECT_EQ(numbers.next(1, 70000, 11), 1U);
  EXPECT_EQ(numbers.next(1, 0, 10), 2U);
}

TEST(SequenceNumbers, GiveEachNumberOnceToManyThreads) {
  SequenceNumbers numbers;
  ASSERT_EQ(numbers.create(), 0);
  constexpr int kEach = 20'000;
  std::array<std::vector<std::uint64_t>, 4> taken;
  std::vector<std::thread> threads;
  for (auto& mine : taken) {
    threads.emplace_back([&numbers, &mine] {
      for (int i = 0; i < kEach; ++i)
        mine.push_back(numbers.next(static_cast<std::uint32_t>(i % 7) + 1, -1, 0));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::multiset<std::uint64_t> all;
  for (const auto& mine : taken) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(*all.rbegin(), 4U * (kEach / 7 + 1) - 0U);
  EXPECT_EQ(all.count(1), 7U);
}

TEST(SequenceNumbers, SayWhenTheTableIsFull) {
  SequenceNumbers numbers;
  ASSERT_EQ(numbers.create(), 0);
  bool is_full = false;
  for (std::int32_t peer = 0; peer < 200'000 && !is_full; ++peer) is_full = numbers.next(1, peer, 10) == 0;
  EXPECT_TRUE(is_full);
  EXPECT_EQ(numbers.next(1, 0, 10), 2U) << "known keys go on";
}

RC_GTEST_PROP(RankRuns, GiveBackTheMembers, (const std::vector<std::uint8_t>& steps)) {
  std::vector<std::int32_t> members;
  std::int32_t rank = 3;
  for (const std::uint8_t step : steps) members.push_back(rank += step % 3 + 1);
  std::vector<lockstep_rank_run> runs(members.size() + 1);
  const std::uint32_t used = rank_runs(members.data(), static_cast<std::uint32_t>(members.size()),
                                       runs.data(), static_cast<std::uint32_t>(runs.size()));
  std::vector<std::int32_t> back;
  for (std::uint32_t i = 0; i < used; ++i) {
    for (std::uint32_t j = 0; j < runs[i].count; ++j) {
      back.push_back(runs[i].first + static_cast<std::int32_t>(j) * runs[i].step);
    }
  }
  RC_ASSERT(back == members);
}

TEST(RankRuns, NeedOneForARegularCommunicator) {
  std::vector<std::int32_t> members;
  for (int i = 0; i < 512; ++i) members.push_back(8 * i + 3);
  lockstep_rank_run run{};
  EXPECT_EQ(rank_runs(members.data(), 512, &run, 1), 1U);
  EXPECT_EQ(run.step, 8);
  members[77] = 1;
  EXPECT_EQ(rank_runs(members.data(), 512, &run, 1), 0U);
}

RC_GTEST_PROP(Checksum, DoesNotDependOnThePieces, (const std::string& text, std::uint16_t cut)) {
  const std::size_t first = text.empty() ? 0 : cut % text.size();
  const std::array<lockstep_piece, 3> pieces = {
      {{text.data(), first}, {nullptr, 0}, {text.data() + first, text.size() - first}}};
  RC_ASSERT(checksum(pieces.data(), pieces.size()) == XXH3_64bits(text.data(), text.size()));
}

// Long enough for the loops over wide registers, at any place in memory.
RC_GTEST_PROP(Checksum, IsTheSameOnEveryProcessor,
              (std::uint16_t length, std::uint8_t first, std::uint64_t seed)) {
  std::string text(std::size_t{first} + length, '\0');
  for (char& letter : text) letter = static_cast<char>((seed = seed * 6364136223846793005u + 1) >> 56);
  const lockstep_piece piece{text.data() + first, length};
  const Xxh3& here = xxh3_of_this_processor();
  RC_ASSERT(here.sum(&piece, 1) == plain_xxh3.sum(&piece, 1));
  const Hash128 hash = here.hash(&piece, 1);
  const Hash128 plain = plain_xxh3.hash(&piece, 1);
  RC_ASSERT(std::equal(std::begin(hash.bytes), std::end(hash.bytes), std::begin(plain.bytes)));
}

}  // namespace
}  // namespace lockstep::recorder
