#include "diagnose/logs/guess.h"

#include <gtest/gtest.h>

namespace lockstep::logs {
namespace {

// Two leaves, four words: how rare it is, then its weight for each leaf.
constexpr std::string_view kModel = R"({"leaves": ["SETUP-FAIL", "PREP-DATA"], "bias": [0, 0], "words": {
  "addresses": [1, 3, -3], "process": [1, 3, -3], "dataset": [1, -3, 3], "json": [1, -3, 3]}})";

std::optional<Guess> guess_of(std::string_view text) {
  const LogText log{"job.log", text, std::nullopt};
  return guess_leaf(kModel, std::span(&log, 1), {{}});
}

TEST(Guess, NamesAreAlsoTheirParts) {
  EXPECT_EQ(guess_of("x.NoValidAddressesFound\n")->leaf, model::Leaf::kSetupFail);
  EXPECT_EQ(guess_of("in init_process_group\n")->leaf, model::Leaf::kSetupFail);
  EXPECT_EQ(guess_of("MyDatasetError\n")->leaf, model::Leaf::kPrepData);
  EXPECT_EQ(guess_of("JSONDecodeError\n")->leaf, model::Leaf::kPrepData);
}

TEST(Guess, APartIsNoPieceOfALongerWord) {
  EXPECT_EQ(guess_of("processing readdressesx\n"), std::nullopt);
}

TEST(Guess, WhereFilesLieDoesNotCount) {
  EXPECT_EQ(guess_of("  File \"/x/dataset/a.py\", line 3\n"), std::nullopt);
}

TEST(Guess, LinesThatAreLeftOutDoNotCount) {
  constexpr std::string_view kText = "dataset\nthe process at these addresses\njson\n";
  const LogText log{"job.log", kText, std::nullopt};
  EXPECT_EQ(guess_leaf(kModel, std::span(&log, 1), {{{.begin = 8, .end = 39}}})->leaf,
            model::Leaf::kPrepData);
  EXPECT_EQ(
      guess_leaf(kModel, std::span(&log, 1), {{{.begin = 0, .end = 8}, {.begin = 39, .end = 44}}})->leaf,
      model::Leaf::kSetupFail);
}

TEST(Guess, KnowsNothingOfNoWords) {
  EXPECT_EQ(guess_of(""), std::nullopt);
}

}  // namespace
}  // namespace lockstep::logs
