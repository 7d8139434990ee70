#include "diagnose/arbitrate/arbitrate.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/file.h"
#include "diagnose/arbitrate/testing/random_story.h"

namespace lockstep::diagnose {
namespace {

using model::Decision;
using model::Finding;
using model::Leaf;
using model::Outcome;
using testing::Codes;
using testing::found;
using testing::printed;
using testing::random_story;
using testing::Steps;
using testing::steps_of;
using testing::story_of;

Codes codes_in(const std::vector<Finding>& findings) {
  Codes codes;
  for (const Finding& finding : findings) codes.push_back(finding.code.text());
  return codes;
}

// What the README of the folder lists: lines that begin with a number and a name in backquotes.
Codes documented_rules() {
  const std::string readme =
      base::read_file(LOCKSTEP_SOURCE_DIR "/src/diagnose/arbitrate/README.md", 1 << 20).value();
  Codes names;
  std::size_t at = 0;
  for (int number = 1;; ++number) {
    const std::string head = "\n" + std::to_string(number) + ". `";
    at = readme.find(head, at);
    if (at == std::string::npos) return names;
    at += head.size();
    names.push_back(readme.substr(at, readme.find('`', at) - at));
  }
}

TEST(Rules, ApplyInTheDocumentedOrder) {
  Codes names;
  for (const Rule& rule : rules()) names.emplace_back(rule.name);
  EXPECT_EQ(names, documented_rules());
}

TEST(Rules, SayWhatTheyDecideInOneSentence) {
  for (const Rule& rule : rules()) {
    EXPECT_GT(rule.decides.size(), 20U) << rule.name;
    EXPECT_LT(rule.decides.size(), 120U) << rule.name;
    EXPECT_NE(rule.decides.back(), '.') << rule.name;
  }
}

TEST(Rules, ADecisionHasTheNameAndTheReasonOfItsRule) {
  const Arbitration verdict = arbitrate(story_of({found(Leaf::kPerfHang, "desync.missing_rank", 0.95)},
                                                 {printed(found(Leaf::kRunMem, "mem.gpu", 0.9))}));
  EXPECT_EQ(codes_in(verdict.findings), (Codes{"mem.gpu", "desync.missing_rank"}));
  ASSERT_EQ(verdict.decisions.size(), 2U);
  EXPECT_EQ(verdict.decisions[1].rule, "one_story") << "the wait follows from it";
  EXPECT_EQ(verdict.decisions[0].rule, "printed_error_first");
  EXPECT_EQ(verdict.decisions[0].reason, "an error that was printed comes before the waiting it caused");
}

// Rules that depend on each other's order.

TEST(Arbitrate, AKilledRankIsNamedFoldedAndThenNoCause) {
  Finding lost = found(Leaf::kRunComm, "desync.dead_rank", 0.95, {1});
  const Finding killed = printed(found(Leaf::kRunMem, "mem.killed", 0.9, {0}));
  const Arbitration alone = arbitrate(story_of({lost}, {killed}));
  EXPECT_EQ(codes_in(alone.findings), Codes{"desync.dead_rank"});
  EXPECT_EQ(alone.findings[0].root_ranks, std::vector<int>{0});
  EXPECT_EQ(steps_of(alone.decisions),
            (Steps{"desync.dead_rank ranks mem.killed", "mem.killed into desync.dead_rank"}));

  const Finding out_of_memory = printed(found(Leaf::kRunMem, "mem.oom_killer", 0.95));
  const Arbitration with_reason = arbitrate(story_of({lost}, {out_of_memory, killed}));
  EXPECT_EQ(codes_in(with_reason.findings), (Codes{"mem.oom_killer", "desync.dead_rank"}));
}

TEST(Arbitrate, ACrashIsThatOfTheRankThatDiedAndSoWhyItWasLost) {
  Finding lost = found(Leaf::kRunComm, "desync.dead_rank", 0.95, {1});
  lost.victim_ranks = {0};
  const Arbitration verdict =
      arbitrate(story_of({lost}, {printed(found(Leaf::kRunSegv, "segv.signal", 0.5))}));
  EXPECT_EQ(codes_in(verdict.findings), (Codes{"segv.signal", "desync.dead_rank"}));
  EXPECT_EQ(verdict.findings.front().root_ranks, std::vector<int>{1});
}

TEST(Arbitrate, ALostRanksOwnErrorIsNoComplaintAndComesFirst) {
  const Finding lost = found(Leaf::kPerfHang, "desync.dead_rank", 0.95, {1});
  const Finding own = printed(found(Leaf::kRunComm, "comm.same_name", 0.9, {1}));
  const Finding complaint = printed(found(Leaf::kRunComm, "comm.reset", 0.9, {0}));
  EXPECT_EQ(codes_in(arbitrate(story_of({lost}, {own, complaint})).findings),
            (Codes{"comm.same_name", "desync.dead_rank"}));
}

TEST(Arbitrate, AnExceptionStandsBetweenAnExitStatusAndAGuess) {
  const Arbitration verdict = arbitrate(story_of({found(Leaf::kRunOther, "process.ended", 0.6)},
                                                 {printed(found(Leaf::kRunOther, "other.exception", 0.4)),
                                                  found(Leaf::kRunTensor, "leaf.run_tensor", 0.3)}));
  EXPECT_EQ(codes_in(verdict.findings), (Codes{"other.exception", "process.ended", "leaf.run_tensor"}));
}

TEST(Arbitrate, LimitsOfTheRanksComeBeforeThoseOfTheLogs) {
  Story story;
  story.limits_of_ranks = {"a"};
  story.limits_of_logs = {"b"};
  story.collect_next = {"c"};
  EXPECT_EQ(arbitrate(std::move(story)).limits, (std::vector<std::string>{"a", "b", "to learn more: c"}));
}

// What holds of any story.

RC_GTEST_PROP(Arbitrate, TheSameStoryGivesTheSameVerdict, ()) {
  const Story story = random_story();
  const Arbitration one = arbitrate(story);
  const Arbitration again = arbitrate(story);
  RC_ASSERT(one.findings == again.findings);
  RC_ASSERT(one.limits == again.limits);
  RC_ASSERT(one.decisions == again.decisions);
}

RC_GTEST_PROP(Arbitrate, EveryFindingStaysOrADecisionSaysWhereItWent, ()) {
  const Story story = random_story();
  Codes before;
  for (const auto* side : {&story.ranks, &story.logs}) {
    for (const Claim& claim : *side) before.push_back(claim.finding.code.text());
  }
  for (const auto* one : {&story.interruption, &story.world_size_one, &story.silence}) {
    if (*one) before.push_back((*one)->code.text());
  }
  const Arbitration verdict = arbitrate(story);
  Codes after = codes_in(verdict.findings);
  for (const Decision& decision : verdict.decisions) {
    if (decision.outcome == Outcome::kFoldedInto || decision.outcome == Outcome::kDropped)
      after.push_back(decision.finding.text());
  }
  std::ranges::sort(before);
  std::ranges::sort(after);
  RC_ASSERT(before == after);
}

RC_GTEST_PROP(Arbitrate, WithoutADecisionNothingChanges, ()) {
  const Story story = random_story();
  std::vector<Finding> before;
  for (const Claim* claim : story.in_order()) before.push_back(claim->finding);
  const Arbitration verdict = arbitrate(story);
  if (verdict.decisions.empty()) RC_ASSERT(verdict.findings == before);
  for (const Decision& decision : verdict.decisions)
    RC_ASSERT(!decision.rule.empty() && !decision.reason.empty());
}

// Lines come in the order in which files were read, which means nothing.
RC_GTEST_PROP(Arbitrate, TheOrderOfAFindingsLinesDoesNotMatter, ()) {
  const Story story = random_story();
  Story turned = story;
  for (auto* side : {&turned.ranks, &turned.logs}) {
    for (Claim& claim : *side) std::ranges::reverse(claim.finding.evidence);
  }
  const Arbitration one = arbitrate(story);
  const Arbitration other = arbitrate(turned);
  RC_ASSERT(codes_in(one.findings) == codes_in(other.findings));
  RC_ASSERT(one.decisions == other.decisions);
}

// Not so where a guess is the likeliest printed finding: a failure's rank is then taken for the guess.
RC_GTEST_PROP(Arbitrate, TheLeastLikelyGuessChangesNothingAboutTheOthers, ()) {
  const auto is_guess = [](const Finding& finding) { return finding.code == "leaf.run_graph"; };
  const Story story = random_story();
  Story with = story;
  with.logs.push_back({.finding = found(Leaf::kRunGraph, "leaf.run_graph", 0.1), .place = Place::kDoubtful});
  std::vector<Finding> others = arbitrate(with).findings;
  std::erase_if(others, is_guess);
  RC_ASSERT(others == arbitrate(story).findings);
}

}  // namespace
}  // namespace lockstep::diagnose
