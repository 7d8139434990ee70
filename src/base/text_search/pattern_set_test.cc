#include "base/text_search/pattern_set.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/text_search/regex.h"

namespace lockstep::base {
namespace {

using Matches = std::set<std::pair<unsigned, std::size_t>>;

Matches matches_in(const PatternSet& set, std::string_view text) {
  Matches found;
  PatternScanner(set).scan(text, [&](unsigned id, std::size_t end) { found.emplace(id, end); });
  return found;
}

const std::vector<PatternText> kPatterns{{"out of memory"}, {R"(rank \d+ failed)"}, {"oom", true}};

TEST(PatternSet, FindsEveryPatternWithoutRegardToCase) {
  const auto set = PatternSet::compile(kPatterns);
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(matches_in(set.value(), "Rank 3 FAILED: Out Of Memory"), (Matches{{1, 13}, {0, 28}}));
}

TEST(PatternSet, FirstOnlyReportsOnce) {
  const auto set = PatternSet::compile(kPatterns);
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(matches_in(set.value(), "oom oom oom").size(), 1U);
}

TEST(PatternSet, FindsWordsInTheLastBytesOfAText) {
  const auto set = PatternSet::compile(std::vector<PatternText>{
      {"Python v"}, {"Traceback for thread "}, {R"(failed \(exitcode: )"}, {"NCCL INFO "}});
  ASSERT_TRUE(set.ok());
  for (const std::size_t begin : {std::size_t{0}, std::size_t{5'000}, std::size_t{70'000}}) {
    for (std::size_t shift = 0; shift < 64; ++shift) {
      const std::string text = std::string(begin + shift, '.') + "\nPython v Python v3.10";
      const std::size_t first = begin + shift + 9;
      EXPECT_EQ(matches_in(set.value(), text), (Matches{{0, first}, {0, first + 9}}))
          << begin << '+' << shift;
    }
  }
}

TEST(PatternSet, AStoredSetFindsTheSame) {
  const auto set = PatternSet::compile(kPatterns);
  ASSERT_TRUE(set.ok());
  const auto stored = PatternSet::from_bytes(set.value().to_bytes());
  ASSERT_TRUE(stored.has_value());
  EXPECT_EQ(matches_in(*stored, "rank 1 failed"), matches_in(set.value(), "rank 1 failed"));
}

TEST(PatternSet, StrangeBytesAreNoStoredSet) {
  EXPECT_FALSE(PatternSet::from_bytes("not a set").has_value());
}

TEST(PatternSet, AnUnusablePatternIsNamed) {
  const std::vector<PatternText> patterns{{"fine"}, {"(?=look)ahead"}};
  const auto set = PatternSet::compile(patterns);
  ASSERT_FALSE(set.ok());
  EXPECT_EQ(set.error().where, "(?=look)ahead");
}

TEST(Regex, CapturesByName) {
  const auto regex = Regex::compile(R"(world_size=(?P<world>\d+)(, rank=(?P<rank>\d+))?)", "t");
  ASSERT_TRUE(regex.ok());
  EXPECT_EQ(regex.value().capture("xx WORLD_SIZE=8"), (Regex::Captures{{"world", "8"}}));
  EXPECT_EQ(regex.value().position_in("xx world_size=8"), 3U);
  EXPECT_EQ(regex.value().capture("nothing"), std::nullopt);
}

TEST(Regex, BytesThatAreNotTextAreSearchedToo) {
  const auto regex = Regex::compile("oom", "t");
  ASSERT_TRUE(regex.ok());
  EXPECT_TRUE(regex.value().found_in("\xff\xfe oom \x80"));
}

}  // namespace
}  // namespace lockstep::base
