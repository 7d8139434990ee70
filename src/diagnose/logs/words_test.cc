#include "diagnose/logs/words.h"

#include <gtest/gtest.h>

namespace lockstep::logs {
namespace {

Features whole_text(std::initializer_list<std::string_view> lines) {
  WholeText text;
  for (const std::string_view line : lines) text.add(line);
  Features features;
  text.put_into(features);
  return features;
}

TEST(WholeText, WordsFormPairsAcrossLinesAndNumbers) {
  const Features features = whole_text({"Timeout of rank 12", "barrier"});
  EXPECT_TRUE(features.contains("u:timeout") && features.contains("u:timeout of"));
  EXPECT_TRUE(features.contains("u:rank barrier"));
}

TEST(WholeText, PartsStayWithinAWordAndKnowItsEnds) {
  const Features features = whole_text({"ib0 down"});
  EXPECT_TRUE(features.contains("c: ib0 ") && features.contains("c: down"));
  EXPECT_FALSE(features.contains("c:0 do") || features.contains("c:b0 d"));
}

TEST(WholeText, OneNumberIsLikeAnother) {
  EXPECT_EQ(whole_text({"device 3 lost"}), whole_text({"device 4711 lost"}));
}

TEST(WholeText, WhatComesOftenCountsMoreButNotAsOften) {
  const float once = whole_text({"refused"}).at("u:refused");
  const float often = whole_text({"refused", "refused", "refused", "refused"}).at("u:refused");
  EXPECT_GT(often, once);
  EXPECT_LT(often, 4 * once);
}

TEST(WholeText, ALongLogAddsOnlyItsFirstLines) {
  WholeText text;
  constexpr int kLines = 5000;
  for (int line = 0; line < kLines; ++line) text.add("the same few words again");
  text.add("unheard");
  Features features;
  text.put_into(features);
  EXPECT_FALSE(features.contains("u:unheard"));
}

TEST(FailureWords, ANameIsAlsoItsParts) {
  Features features;
  FailureWords(features).add("ProcessGroupNCCL gave up", "e", true);
  EXPECT_TRUE(features.contains("e:processgroupnccl") && features.contains("e:process"));
  EXPECT_TRUE(features.contains("e:nccl") && features.contains("e:gave up"));
}

}  // namespace
}  // namespace lockstep::logs
