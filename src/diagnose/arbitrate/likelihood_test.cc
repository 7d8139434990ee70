#include <gtest/gtest.h>

#include "diagnose/arbitrate/testing/story_parts.h"

namespace lockstep::diagnose {
namespace {

using model::Finding;
using model::Leaf;
using testing::apply_named;
using testing::Codes;
using testing::found;
using testing::order_of;
using testing::printed;
using testing::Steps;
using testing::steps_of;
using testing::story_of;

const Finding kNeverCame = found(Leaf::kPerfHang, "desync.missing_rank", 0.95, {2});
const Finding kMisfit = found(Leaf::kRunTensor, "mismatch.shape", 0.97, {2});

struct Placed {
  Codes order;
  Steps steps;
};

Placed placed(std::string_view rule, std::vector<Finding> ranks, std::vector<Finding> logs) {
  Story story = story_of(std::move(ranks), std::move(logs));
  apply_named(rule, story);
  return {order_of(story), steps_of(story.decisions)};
}

TEST(LikelihoodRules, APrintedErrorComesFirstFromSixtyPercentOn) {
  const auto with = [](double confidence) {
    return placed("printed_error_first", {kNeverCame},
                  {printed(found(Leaf::kRunMem, "mem.gpu", confidence))});
  };
  EXPECT_EQ(with(0.6).order, (Codes{"mem.gpu", "desync.missing_rank"}));
  EXPECT_EQ(with(0.6).steps, Steps{"mem.gpu before desync.missing_rank"});
  EXPECT_EQ(with(0.59).order, (Codes{"desync.missing_rank", "mem.gpu"}));
  EXPECT_TRUE(with(0.59).steps.empty());
}

TEST(LikelihoodRules, WhatIsAlreadyFirstIsNotMentioned) {
  EXPECT_TRUE(
      placed("printed_error_first", {}, {printed(found(Leaf::kRunMem, "mem.gpu", 0.9))}).steps.empty());
}

TEST(LikelihoodRules, WhatALostRankPrintedIsWhyItWasLost) {
  const Finding lost = found(Leaf::kPerfHang, "desync.dead_rank", 0.95, {1});
  const auto first = [&](const Finding& shown, const Finding& told) {
    return placed("reason_of_a_loss", {shown}, {told}).order.front();
  };
  const Finding own = printed(found(Leaf::kRunOther, "other.exception", 0.3, {1}), 1);
  EXPECT_EQ(first(lost, own), "other.exception");
  EXPECT_EQ(placed("reason_of_a_loss", {lost}, {own}).steps,
            Steps{"other.exception before desync.dead_rank"});
  EXPECT_EQ(first(lost, printed(found(Leaf::kRunOther, "wrapper.mpirun", 0.3, {1}), 1)), "desync.dead_rank")
      << "it repeats that the rank failed";
  EXPECT_EQ(first(lost, printed(found(Leaf::kRunOther, "other.exception", 0.3, {0}), 0)), "desync.dead_rank")
      << "another rank printed it";
  EXPECT_EQ(first(lost, printed(found(Leaf::kRunComm, "comm.reset", 0.3, {1}), 1)), "desync.dead_rank")
      << "that is about waiting";
  EXPECT_EQ(first(lost, found(Leaf::kRunOther, "other.exception", 0.3, {1})), "desync.dead_rank")
      << "without a line to show";
  EXPECT_EQ(first(kNeverCame, own), "desync.missing_rank") << "no rank was lost";
}

TEST(LikelihoodRules, AnErrorThatNobodySignedExplainsTheLostRank) {
  const auto order = [](const Finding& shown, double confidence) {
    Story story = story_of({shown}, {printed(found(Leaf::kPkgImport, "import.module", confidence))});
    apply_named("reason_of_a_loss", story);
    const Finding& first = story.in_order().front()->finding;
    return std::pair(first.code.text(), first.root_ranks);
  };
  using Named = std::pair<std::string, std::vector<int>>;
  const Finding unseen = found(Leaf::kSetupHang, "setup.rank_not_started", 0.95, {1});
  const Finding dead = found(Leaf::kRunComm, "desync.dead_rank", 0.95, {1});
  EXPECT_EQ(order(unseen, 0.4), (Named{"import.module", {1}}));
  EXPECT_EQ(order(dead, 0.4), (Named{"import.module", {1}}));
  EXPECT_EQ(order(dead, 0.39), (Named{"desync.dead_rank", {1}}));
  EXPECT_EQ(order(kNeverCame, 0.55), (Named{"desync.missing_rank", {2}})) << "that rank is alive";
}

TEST(LikelihoodRules, WhoeverCouldNotConnectLooksForTheOneWhoIsGone) {
  const Finding gone = found(Leaf::kSetupHang, "setup.rank_not_started", 0.95, {0});
  const auto first = [&](const Finding& shown, const std::string& code) {
    return placed("printed_error_first", {shown}, {printed(found(Leaf::kSetupFail, code, 0.88))})
        .order.front();
  };
  EXPECT_EQ(first(gone, "setup.connect_failed"), "setup.rank_not_started");
  EXPECT_EQ(first(gone, "import.module"), "import.module");
  EXPECT_EQ(first(found(Leaf::kSetupHang, "setup.rank_not_started", 0.65, {0}), "setup.connect_failed"),
            "setup.connect_failed")
      << "it may only be late";
}

TEST(LikelihoodRules, AWarningStandsBehindAProvenWait) {
  const auto first = [](Leaf leaf, double confidence) {
    return placed("printed_error_first", {kNeverCame}, {printed(found(leaf, "slow.input_bound", confidence))})
        .order.front();
  };
  EXPECT_EQ(first(Leaf::kPerfSlow, 0.7), "desync.missing_rank");
  EXPECT_EQ(first(Leaf::kPerfSlow, 0.99), "slow.input_bound");
  EXPECT_EQ(first(Leaf::kRunMem, 0.7), "slow.input_bound") << "that ends a process";
}

TEST(LikelihoodRules, AGuessIsNeverSure) {
  EXPECT_EQ(
      placed("printed_error_first", {kNeverCame}, {printed(found(Leaf::kRunTensor, "leaf.run_tensor", 0.9))})
          .order.front(),
      "desync.missing_rank");
}

TEST(LikelihoodRules, WhatARankPrintedComesBeforeHowItEnded) {
  const Finding status = found(Leaf::kRunOther, "process.failed", 0.6, {1});
  const auto first = [&](const Finding& told) {
    return placed("reason_of_a_loss", {status}, {told}).order.front();
  };
  EXPECT_EQ(first(printed(found(Leaf::kRunMem, "mem.killed", 0.4, {1}), 1)), "mem.killed");
  EXPECT_EQ(first(printed(found(Leaf::kRunMem, "mem.killed", 0.4, {0}), 0)), "process.failed")
      << "another rank's";
}

TEST(LikelihoodRules, WhatAllRanksPrintedTheLostOnePrintedToo) {
  const Finding lost = found(Leaf::kRunComm, "desync.dead_rank", 0.6, {0});
  const auto first = [&](const Finding& told) {
    return placed("reason_of_a_loss", {lost}, {told}).order.front();
  };
  const Finding raised = found(Leaf::kRunTensor, "tensor.index", 0.52);
  EXPECT_EQ(first(printed(printed(raised, 0), 1)), "tensor.index");
  EXPECT_EQ(first(printed(raised, 1)), "desync.dead_rank") << "the lost rank did not";
}

TEST(LikelihoodRules, WhatARankPrintedThatLeftNoRecordIsWhyItNeverCame) {
  const Finding unseen = found(Leaf::kSetupHang, "setup.rank_not_started", 0.65, {1});
  const auto first = [&](const Finding& told) {
    return placed("reason_of_a_loss", {unseen}, {told}).order.front();
  };
  EXPECT_EQ(first(printed(found(Leaf::kPkgImport, "import.no_module", 0.5, {1}), 1)), "import.no_module");
  EXPECT_EQ(first(printed(found(Leaf::kPkgImport, "import.no_module", 0.5, {0}), 0)),
            "setup.rank_not_started");
  EXPECT_EQ(first(printed(found(Leaf::kPerfSlow, "slow.rate_falls", 0.5, {1}), 1)), "setup.rank_not_started")
      << "slowness keeps no process from starting";
}

Placed with_misfit(const Finding& misfit, const Finding& told) {
  Story story = story_of({misfit}, {told});
  apply_named("printed_error_first", story);
  story.decisions.clear();
  apply_named("calls_that_do_not_fit", story);
  return {order_of(story), steps_of(story.decisions)};
}

TEST(LikelihoodRules, WhatFollowsFromCallsThatDoNotFit) {
  const auto first = [](double confidence, const Finding& told) {
    Finding misfit = kMisfit;
    misfit.confidence = confidence;
    return with_misfit(misfit, told).order.front();
  };
  const Finding crash = printed(found(Leaf::kRunSegv, "segv.heap", 0.9));
  EXPECT_EQ(with_misfit(kMisfit, crash).steps, Steps{"segv.heap behind mismatch.shape"});
  EXPECT_EQ(first(0.6, crash), "mismatch.shape");
  EXPECT_EQ(first(0.59, crash), "segv.heap") << "the misfit itself is doubtful";
  EXPECT_EQ(first(0.97, printed(found(Leaf::kRunGraph, "graph.broken", 0.9))), "mismatch.shape");
  EXPECT_EQ(first(0.97, printed(found(Leaf::kRunMem, "mem.gpu", 0.9))), "mem.gpu") << "an error of its own";

  const Finding told = printed(found(Leaf::kRunTensor, "tensor.tf_collective", 0.9));
  EXPECT_EQ(first(0.9, told), "mismatch.shape") << "whose call is the odd one is more than that some misfit";
  EXPECT_EQ(first(0.89, told), "tensor.tf_collective") << "of two ranks neither is the odd one";
  EXPECT_EQ(first(0.97, printed(found(Leaf::kRunTensor, "tensor.index", 0.9, {1}))), "tensor.index")
      << "an error that one rank has by itself";
}

TEST(LikelihoodRules, ABareExitStatusSaysLessThanAPrintedLine) {
  const Finding told = printed(found(Leaf::kRunOther, "other.exception", 0.4));
  const auto with = [&](const std::string& code) {
    return placed("bare_exit_status", {found(Leaf::kRunOther, code, 0.6)}, {told});
  };
  EXPECT_EQ(with("process.ended").order, (Codes{"other.exception", "process.ended"}));
  EXPECT_EQ(with("process.ended").steps, Steps{"process.ended behind other.exception"});
  EXPECT_EQ(with("process.failed").order, (Codes{"process.failed", "other.exception"})) << "it has a reason";
}

TEST(LikelihoodRules, AGuessFromWordsComesLast) {
  const Finding guess = found(Leaf::kRunTensor, "leaf.run_tensor", 0.5);
  const Finding told = printed(found(Leaf::kRunOther, "other.exception", 0.4));
  const Placed moved = placed("guesses_last", {kNeverCame}, {guess, told});
  EXPECT_EQ(moved.order, (Codes{"desync.missing_rank", "other.exception", "leaf.run_tensor"}));
  EXPECT_EQ(moved.steps, Steps{"leaf.run_tensor behind other.exception"});
  EXPECT_TRUE(placed("guesses_last", {kNeverCame}, {told}).steps.empty());
}

}  // namespace
}  // namespace lockstep::diagnose
