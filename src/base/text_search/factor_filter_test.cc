#include "base/text_search/factor_filter.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text_search/pattern_set.h"

namespace lockstep::base {
namespace {

constexpr std::string_view kOrdinary = "step 1 loss 2.0 lr 0.1\nstep 2 loss 1.9 lr 0.1\n";

struct Chosen {
  FactorSet factors;
  std::vector<std::string> without;
};

Chosen chosen_for(std::string_view regex) {
  const Commonness commonness(kOrdinary);
  FactorChooser chooser(commonness);
  std::vector<std::string> without = chooser.add(regex);
  return {std::move(chooser).take(), std::move(without)};
}

std::set<std::size_t> places_in(const FactorFilter& filter, std::string_view text) {
  std::set<std::size_t> places;
  filter.scan(text, 0, text.size(), [&](std::size_t, std::size_t begin) { places.insert(begin); });
  return places;
}

TEST(FactorFilter, finds_a_literal_wherever_it_stands_and_in_either_case) {
  const FactorFilter filter(chosen_for("out of memory").factors);
  for (std::size_t before = 8; before < 200; ++before) {
    for (const std::string_view word : {"out of memory", "Out Of Memory"}) {
      const std::string text = std::string(before, '.') + std::string(word) + std::string(90, '.');
      EXPECT_EQ(places_in(filter, text).size(), 1) << before;
    }
  }
}

TEST(FactorFilter, says_nothing_about_other_text) {
  const FactorFilter filter(chosen_for("out of memory|segmentation fault").factors);
  EXPECT_THAT(places_in(filter, std::string(500, 'o') + std::string(kOrdinary)), testing::IsEmpty());
}

TEST(FactorFilter, knows_its_factors_again_after_storing) {
  const FactorSet factors = chosen_for("(socket|connect)[^\\n]{0,40}(failed|refused) by peer").factors;
  const FactorSet again = factors_from_text(to_text(factors));
  EXPECT_EQ(again.classes, factors.classes);
  EXPECT_EQ(again.factors, factors.factors);
  EXPECT_EQ(again.mix, factors.mix);
}

TEST(FactorChooser, gives_back_the_alternatives_that_are_too_short) {
  const std::vector<std::string> without = chosen_for("segmentation fault|xid|(a|b)c").without;
  ASSERT_THAT(without, testing::SizeIs(testing::Ge(2)));
  EXPECT_THAT(without, testing::Contains("(a|b)c"));
  std::vector<PatternText> patterns;
  for (const std::string& regex : without) patterns.push_back({regex, false});
  const auto set = PatternSet::compile(patterns);
  std::size_t matches = 0;
  PatternScanner(set.value()).scan("an Xid here", [&](unsigned, std::size_t) { ++matches; });
  EXPECT_GT(matches, 0);
}

TEST(FactorChooser, gives_back_what_it_cannot_read) {
  EXPECT_THAT(chosen_for("(?=look) ahead of us").without, testing::SizeIs(1));
  EXPECT_THAT(chosen_for("a{broken repetition").without, testing::SizeIs(1));
  EXPECT_THAT(chosen_for("[open bracket").without, testing::SizeIs(1));
}

// vectorscan is the twin: where it finds a match, a factor stands in the text.
RC_GTEST_PROP(FactorFilter, misses_no_match, ()) {
  const auto parts = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("error", "fail(ed|ure)?", "[^\\n]{0,9}", "\\w+", "rank [0-9]{1,3}", "x?",
                                    "(nan|inf)", "\\d+", "time(d)? ?out", "connection", " ", "(ab|cd|ef)+"));
  std::string regex = "watchdog";
  for (const std::string& part : parts) regex += part;
  const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "watchdog", "error", "failure", "failed", "rank 12", "nan", "inf", "7", "timeout", "timed out",
      "connection", " ", "abcd", "x", "WATCHDOG", "\n"));
  std::string text(8, '.');
  for (const std::string& word : words) text += word;
  text += std::string(8, '.');
  const auto set = PatternSet::compile(std::vector<PatternText>{{regex, false}});
  RC_PRE(set.ok());
  bool matches = false;
  PatternScanner(set.value()).scan(text, [&](unsigned, std::size_t) { matches = true; });
  const Chosen chosen = chosen_for(regex);
  if (matches && chosen.without.empty()) RC_ASSERT(!places_in(FactorFilter(chosen.factors), text).empty());
}

}  // namespace
}  // namespace lockstep::base
