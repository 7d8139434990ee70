#include "diagnose/logs/likely_fixes.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/check.h"

namespace lockstep::logs {
namespace {

using model::Fix;
using model::FixPattern;

const catalogue::Catalogue& own_catalogue() {
  static const catalogue::Catalogue catalogue = [] {
    auto loaded = catalogue::Catalogue::load();
    CHECK(loaded.ok(), "the built-in catalogue loads");
    return std::move(loaded).value();
  }();
  return catalogue;
}

Opinion opinion_for(std::initializer_list<std::pair<FixPattern, double>> likely) {
  Opinion opinion;
  for (const auto& [pattern, share] : likely) opinion.fixes[static_cast<std::size_t>(pattern)] = share;
  opinion.leaves[static_cast<std::size_t>(model::Leaf::kRunMem)] = 1;
  return opinion;
}

Fix fix(FixPattern pattern, std::string title) {
  return {.pattern = pattern, .title = std::move(title), .steps = {}, .commands = {}};
}

TEST(LikelyFixes, TheLikeliestComesFirst) {
  const Opinion opinion = opinion_for({{FixPattern::kHardware, 0.05}, {FixPattern::kDataType, 0.09}});
  const auto fixes = likely_fixes(own_catalogue(), opinion, {},
                                  {fix(FixPattern::kHardware, "a"), fix(FixPattern::kDataType, "b")});
  ASSERT_EQ(fixes.size(), 2U);
  EXPECT_EQ(fixes.front().pattern, FixPattern::kDataType);
}

TEST(LikelyFixes, OfEquallyLikelyOnesTheOrderHolds) {
  const auto fixes = likely_fixes(own_catalogue(), opinion_for({}), {},
                                  {fix(FixPattern::kHardware, "a"), fix(FixPattern::kDataType, "b")});
  EXPECT_EQ(fixes.front().title, "a");
}

TEST(LikelyFixes, WhatTheEntryDoesNotNameIsAddedWhereItIsLikely) {
  const Opinion opinion =
      opinion_for({{FixPattern::kMemoryOrCoreSetting, 0.6}, {FixPattern::kHardware, 0.2}});
  const auto fixes = likely_fixes(own_catalogue(), opinion, {}, {fix(FixPattern::kHardware, "a")});
  ASSERT_GE(fixes.size(), 2U);
  EXPECT_EQ(fixes[0].pattern, FixPattern::kMemoryOrCoreSetting);
  EXPECT_FALSE(fixes[0].steps.empty());
  EXPECT_EQ(fixes[1].title, "a");
}

TEST(LikelyFixes, WhatAClearEntryDoesNotNameStandsBelowItsFirst) {
  const Opinion opinion = opinion_for(
      {{FixPattern::kMemoryOrCoreSetting, 0.6}, {FixPattern::kHardware, 0.2}, {FixPattern::kDataType, 0.3}});
  const std::vector<Fix> own = {fix(FixPattern::kHardware, "a"), fix(FixPattern::kDataType, "b")};
  const auto fixes = likely_fixes(own_catalogue(), opinion, {}, own, FirstFix::kOfEntry);
  ASSERT_EQ(fixes.size(), 3U);
  EXPECT_EQ(fixes[0].title, "a");
  EXPECT_EQ(fixes[1].pattern, FixPattern::kMemoryOrCoreSetting);
  EXPECT_EQ(fixes[2].title, "b");
}

TEST(LikelyFixes, ThoseOfOneKindStandBehindOtherKinds) {
  const Opinion opinion = opinion_for({{FixPattern::kHardware, 0.09}, {FixPattern::kDataType, 0.01}});
  const auto fixes = likely_fixes(
      own_catalogue(), opinion, {},
      {fix(FixPattern::kHardware, "a"), fix(FixPattern::kHardware, "b"), fix(FixPattern::kDataType, "c")});
  ASSERT_EQ(fixes.size(), 3U);
  EXPECT_EQ(fixes[1].title, "c");
  EXPECT_EQ(fixes[2].title, "b");
}

}  // namespace
}  // namespace lockstep::logs
