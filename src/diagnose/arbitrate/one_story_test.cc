#include <gtest/gtest.h>

#include "diagnose/arbitrate/testing/story_parts.h"

namespace lockstep::diagnose {
namespace {

using model::Finding;
using model::Leaf;
using testing::apply_named;
using testing::Codes;
using testing::codes_of;
using testing::found;
using testing::printed;
using testing::Steps;
using testing::steps_of;
using testing::story_of;

Finding at_line(Finding finding, std::int64_t line) {
  finding.evidence.push_back({.file = "job.err", .line = line, .rank = {}, .text = "x"});
  return finding;
}

TEST(OneStory, ALineGivesOneFindingTheLikelierOne) {
  Story story = story_of({}, {at_line(found(Leaf::kRunDevice, "device.bus", 0.9), 7),
                              at_line(found(Leaf::kRunMem, "mem.host", 0.4), 7),
                              at_line(found(Leaf::kRunComm, "comm.reset", 0.2), 9)});
  apply_named("one_line_one_finding", story);
  EXPECT_EQ(codes_of(story.logs), (Codes{"device.bus", "comm.reset"}));
  EXPECT_EQ(steps_of(story.decisions), Steps{"mem.host into device.bus"});
}

TEST(OneStory, AFindingWithALineOfItsOwnStays) {
  Finding other = at_line(found(Leaf::kRunMem, "mem.host", 0.4), 7);
  other = at_line(std::move(other), 8);
  Story story = story_of({}, {at_line(found(Leaf::kRunDevice, "device.bus", 0.9), 7), other});
  apply_named("one_line_one_finding", story);
  EXPECT_EQ(codes_of(story.logs), (Codes{"device.bus", "mem.host"}));
  EXPECT_TRUE(story.decisions.empty());
}

TEST(OneStory, TheExitStatusOfTheRankConfirmsItsException) {
  Story story = story_of({found(Leaf::kRunOther, "process.ended", 0.6, {2})},
                         {printed(found(Leaf::kRunOther, "script.exception", 0.5, {2}))});
  apply_named("exit_after_exception", story);
  EXPECT_DOUBLE_EQ(story.logs.front().finding.confidence, 0.9);
  EXPECT_EQ(steps_of(story.decisions), Steps{"script.exception confidence process.ended"});

  Story unnamed = story_of({found(Leaf::kRunOther, "process.ended", 0.6, {2})},
                           {printed(found(Leaf::kRunOther, "script.exception", 0.5))});
  apply_named("exit_after_exception", unnamed);
  EXPECT_EQ(unnamed.logs.front().finding.root_ranks, std::vector<int>{2});

  Finding with_victims = found(Leaf::kRunOther, "process.ended", 0.6, {2});
  with_victims.victim_ranks = {0, 1, 3};
  Finding silent_about_rank_0 = printed(found(Leaf::kRunOther, "script.exception", 0.5, {2}));
  silent_about_rank_0.victim_ranks = {1, 3};
  Story printed_by_some = story_of({with_victims}, {silent_about_rank_0});
  apply_named("exit_after_exception", printed_by_some);
  EXPECT_EQ(printed_by_some.logs.front().finding.victim_ranks, (std::vector<int>{0, 1, 3}));

  Story of_another = story_of({found(Leaf::kRunOther, "process.ended", 0.6, {1})},
                              {printed(found(Leaf::kRunOther, "script.exception", 0.5, {2}))});
  apply_named("exit_after_exception", of_another);
  EXPECT_TRUE(of_another.decisions.empty());

  Story by_a_signal = story_of({found(Leaf::kRunSegv, "process.ended", 0.6, {2})},
                               {printed(found(Leaf::kRunOther, "script.exception", 0.5, {2}))});
  apply_named("exit_after_exception", by_a_signal);
  EXPECT_TRUE(by_a_signal.decisions.empty()) << "a crash is no exception";
}

TEST(OneStory, WhatTheCauseExplainsIsToldBelowItWithItsConfidence) {
  Finding wait = found(Leaf::kPerfHang, "desync.missing_rank", 0.95, {2});
  Story story = story_of({wait}, {printed(found(Leaf::kRunOther, "script.exception", 0.7, {2}))});
  apply_named("printed_error_first", story);
  story.decisions.clear();
  apply_named("one_story", story);
  EXPECT_EQ(story.ranks.front().finding.consequence_of, "script.exception");
  EXPECT_DOUBLE_EQ(story.logs.front().finding.confidence, 0.95) << "both name rank 2";
  EXPECT_EQ(steps_of(story.decisions), (Steps{"desync.missing_rank follows script.exception",
                                              "script.exception confidence desync.missing_rank"}));
}

TEST(OneStory, TheEndOfAnotherRankIsNoSecondAccusation) {
  Finding ended = found(Leaf::kRunOther, "process.ended", 0.6, {1});
  ended.title = "Rank 1 failed first: exit status 1";
  ended.evidence.push_back({.file = "", .line = {}, .rank = 1, .text = "exit status 1"});
  Story story = story_of({found(Leaf::kPerfHang, "mismatch.operation", 0.97, {0}), ended}, {});
  apply_named("one_story", story);
  EXPECT_EQ(story.ranks.back().finding.consequence_of, "mismatch.operation");
  EXPECT_EQ(story.ranks.back().finding.title, "Rank 1 ended: exit status 1");
  EXPECT_DOUBLE_EQ(story.ranks.front().finding.confidence, 0.97);
}

TEST(OneStory, AnEndThatNamesNoRankKeepsItsTitle) {
  Finding ended = found(Leaf::kRunOther, "process.ended", 0.6);
  ended.title = "The job ended with status 1";
  ended.evidence.push_back({.file = "", .line = {}, .rank = {}, .text = "exit status 1"});
  Story story = story_of({found(Leaf::kPerfHang, "mismatch.operation", 0.97, {0}), ended}, {});
  apply_named("one_story", story);
  EXPECT_EQ(story.ranks.back().finding.consequence_of, "mismatch.operation");
  EXPECT_EQ(story.ranks.back().finding.title, "The job ended with status 1");
}

TEST(OneStory, TwoHangsOfDifferentRanksAreTwoFaults) {
  Story story = story_of({found(Leaf::kPerfHang, "desync.missing_rank", 0.95, {1}),
                          found(Leaf::kPerfHang, "desync.stopped_rank", 0.9, {5})},
                         {});
  apply_named("one_story", story);
  EXPECT_TRUE(story.decisions.empty());
}

TEST(OneStory, BesideACauseThatIsSureNobodyGuesses) {
  Story story = story_of({found(Leaf::kPerfHang, "desync.missing_rank", 0.9, {1})},
                         {found(Leaf::kRunComm, "leaf.run_comm", 0.2)});
  apply_named("one_story", story);
  EXPECT_TRUE(story.logs.empty());
  EXPECT_EQ(steps_of(story.decisions), Steps{"leaf.run_comm dropped desync.missing_rank"});
  Story doubtful = story_of({found(Leaf::kPerfHang, "desync.missing_rank", 0.4, {1})},
                            {found(Leaf::kRunComm, "leaf.run_comm", 0.2)});
  apply_named("one_story", doubtful);
  EXPECT_EQ(doubtful.logs.size(), 1U);
}

TEST(OneStory, AGuessAndASlowRankExplainNothing) {
  Story guessed = story_of({found(Leaf::kRunComm, "desync.dead_rank", 0.5, {1})}, {});
  guessed.logs = claims_of_logs({found(Leaf::kRunMem, "leaf.run_mem", 0.6)});
  guessed.logs.front().place = Place::kCause;
  apply_named("one_story", guessed);
  EXPECT_TRUE(guessed.decisions.empty());
  Story slow = story_of({found(Leaf::kPerfSlow, "straggler.rank", 0.9, {1}),
                         found(Leaf::kPerfHang, "desync.missing_rank", 0.5, {1})},
                        {});
  apply_named("one_story", slow);
  EXPECT_TRUE(slow.decisions.empty());
}

TEST(OneStory, OtherReadingsOfAFailureThatIsSureStandBelowIt) {
  Story story = story_of({}, {at_line(found(Leaf::kRunPath, "path.download", 0.94), 7),
                              at_line(found(Leaf::kRunOther, "other.exception", 0.47), 9)});
  apply_named("one_story", story);
  EXPECT_EQ(story.logs.back().finding.consequence_of, "path.download");
  EXPECT_EQ(steps_of(story.decisions), Steps{"other.exception follows path.download"});
}

TEST(OneStory, WhatIsNotSureAndWhatAnotherRankBeganStaysAFindingOfItsOwn) {
  Story doubtful = story_of({}, {at_line(found(Leaf::kRunPath, "path.download", 0.5), 7),
                                 at_line(found(Leaf::kRunOther, "other.exception", 0.25), 9)});
  apply_named("one_story", doubtful);
  EXPECT_TRUE(doubtful.decisions.empty());
  Story of_two_ranks = story_of({}, {at_line(found(Leaf::kRunCkpt, "ckpt.disk_full", 0.9, {3}), 7),
                                     at_line(found(Leaf::kRunMem, "mem.gpu", 0.45, {7}), 9)});
  apply_named("one_story", of_two_ranks);
  EXPECT_TRUE(of_two_ranks.decisions.empty());
  Story slow_as_well = story_of({}, {at_line(found(Leaf::kRunMem, "mem.gpu", 0.9), 9),
                                     at_line(found(Leaf::kSetupProto, "proto.tcp", 0.45), 2)});
  apply_named("one_story", slow_as_well);
  EXPECT_TRUE(slow_as_well.decisions.empty());
}

TEST(OneStory, AHangThatIsShownNeedsNoGuessThatItHangs) {
  Story story = story_of({found(Leaf::kPerfHang, "desync.missing_rank", 0.55, {1})},
                         {found(Leaf::kPrepHang, "leaf.prep_hang", 0.67)});
  apply_named("one_story", story);
  EXPECT_TRUE(story.logs.empty());
  EXPECT_EQ(steps_of(story.decisions), Steps{"leaf.prep_hang dropped desync.missing_rank"});
}

}  // namespace
}  // namespace lockstep::diagnose
