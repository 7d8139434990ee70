#include "catalogue/advice.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::catalogue {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

std::vector<std::string> titles(std::string_view code) {
  std::vector<std::string> all;
  for (const model::Fix& fix : fixes_for(code)) all.push_back(fix.title);
  return all;
}

// What the analysis of ranks finds, whether or not a log says it too.
constexpr const char* kCodesOfRanks[] = {"communication.exposed",
                                         "deadlock.order_inversion",
                                         "deadlock.point_to_point",
                                         "desync.data_loading",
                                         "desync.dead_rank",
                                         "desync.ended_early",
                                         "desync.extra_collective",
                                         "desync.failed_rank",
                                         "desync.lagging_counter",
                                         "desync.missing_evidence",
                                         "desync.missing_rank",
                                         "desync.rank_restarted",
                                         "desync.slow_work",
                                         "desync.stopped_rank",
                                         "desync.stuck_in_collective",
                                         "divergence.buffers_differ",
                                         "divergence.outputs_differ",
                                         "divergence.parameters_differ",
                                         "mismatch.data_type",
                                         "mismatch.exchange",
                                         "mismatch.extra_collective",
                                         "mismatch.message",
                                         "mismatch.operation",
                                         "mismatch.reduce_op",
                                         "mismatch.root",
                                         "mismatch.shape",
                                         "mismatch.skipped_collective",
                                         "parallel.lone_steps",
                                         "parallel.same_inputs",
                                         "parallel.world_of_one",
                                         "point_to_point.unmatched_receive",
                                         "point_to_point.unmatched_send",
                                         "setup.communicator_not_made",
                                         "setup.rank_not_started",
                                         "slow.rate_falls",
                                         "straggler.host",
                                         "straggler.link",
                                         "straggler.rank",
                                         "versions.differ"};

TEST(Advice, EveryCodeOfTheRanksHasFixes) {
  EXPECT_THAT(codes_with_fixes(), IsSupersetOf(kCodesOfRanks));
}

TEST(Advice, FixesStandInTheOrderInWhichToTryThem) {
  EXPECT_THAT(titles("desync.missing_rank"), ElementsAre("Let every rank of the group make the same calls",
                                                         "Give every rank the same number of batches",
                                                         "Allow for work that only one rank does"));
  const std::vector<model::Fix> fixes = fixes_for("versions.differ");
  ASSERT_EQ(fixes.size(), 2U);
  EXPECT_EQ(fixes[0].pattern, model::FixPattern::kDeviceConsistency);
  EXPECT_THAT(fixes[0].steps, ElementsAre("Compare versions and the checked-out revision on the odd rank's "
                                          "host with another host"));
  EXPECT_THAT(fixes[0].commands,
              ElementsAre("python -c \"import torch; print(torch.__version__)\"", "git rev-parse HEAD"));
}

TEST(Advice, WhatRanksShowMayHaveOtherFixesThanWhatALogSays) {
  EXPECT_THAT(titles("parallel.world_of_one"),
              ElementsAre("Let the processes know of each other",
                          "Initialise the framework's distributed part before the model is made"));
}

TEST(Advice, ACodeThatPatternsFindOrThatNobodyKnowsHasNone) {
  EXPECT_THAT(fixes_for("mem.gpu"), IsEmpty());
  EXPECT_THAT(fixes_for("no.such"), IsEmpty());
  EXPECT_THAT(fixes_for(""), IsEmpty());
}

TEST(Advice, ARemedyIsTheCodesOwnOrItsFamilys) {
  EXPECT_EQ(remedy_for("setup.port_in_use"), Remedy::kOtherPorts);
  EXPECT_EQ(remedy_for("proto.loopback"), Remedy::kOwnNetwork);
  EXPECT_EQ(remedy_for("mem.oom_killer"), Remedy::kMoreMemory);
  EXPECT_EQ(remedy_for("segv.bus"), Remedy::kSharedSpace);
  EXPECT_EQ(remedy_for("sched.preempted"), Remedy::kAgain);
  EXPECT_EQ(remedy_for("xid.79"), Remedy::kOtherNodes);
  EXPECT_EQ(remedy_for("xid.13"), Remedy::kNone) << "the program's own access";
  EXPECT_EQ(remedy_for("process.failed"), Remedy::kUnknown);
  EXPECT_EQ(remedy_for("leaf.of_no_entry"), Remedy::kUnknown);
  EXPECT_EQ(remedy_for("mem.gpu"), Remedy::kNone);
  EXPECT_EQ(remedy_for("xid"), Remedy::kNone);
}

}  // namespace
}  // namespace lockstep::catalogue
