#include "diagnose/arbitrate/met_ranks.h"

#include <gtest/gtest.h>

namespace lockstep::diagnose {
namespace {

using model::Finding;
using model::Leaf;

Finding printed(Leaf leaf, const std::string& code, double confidence) {
  Finding finding;
  finding.leaf = leaf;
  finding.code = code;
  finding.confidence = confidence;
  finding.evidence.push_back({.file = "job.err", .line = 1, .rank = 1, .text = code});
  return finding;
}

model::RankHistory with_a_collective(model::EventState state) {
  model::RankHistory history;
  model::Event event;
  event.kind = model::EventKind::kCollective;
  event.state = state;
  history.events = {event};
  return history;
}

TEST(MetRanks, AreRanksThatAllFinishedACollective) {
  model::Job job;
  job.ranks = {with_a_collective(model::EventState::kCompleted)};
  EXPECT_FALSE(all_have_met(job)) << "one alone meets nobody";
  job.ranks.push_back(with_a_collective(model::EventState::kIssued));
  EXPECT_FALSE(all_have_met(job));
  job.ranks.back() = with_a_collective(model::EventState::kCompleted);
  EXPECT_TRUE(all_have_met(job));
}

TEST(MetRanks, TheErrorOfARankComesBeforeTheConnectionsThatItsEndBroke) {
  std::vector<Finding> findings = {printed(Leaf::kSetupFail, "setup.grpc_connect", 0.97),
                                   printed(Leaf::kRunComm, "comm.reset", 0.5),
                                   printed(Leaf::kRunAttr, "attr.object", 0.12)};
  put_setup_behind_errors(findings);
  EXPECT_EQ(findings[0].code, "attr.object");
  EXPECT_EQ(findings[0].confidence, 0.97);
  EXPECT_EQ(findings[1].code, "setup.grpc_connect");
  EXPECT_EQ(findings[1].confidence, 0.12);
  EXPECT_EQ(findings[2].code, "comm.reset");
}

TEST(MetRanks, WithoutAnotherErrorTheConnectionIsWhatFailed) {
  std::vector<Finding> findings = {printed(Leaf::kSetupFail, "setup.grpc_connect", 0.97),
                                   printed(Leaf::kRunComm, "comm.reset", 0.5)};
  put_setup_behind_errors(findings);
  EXPECT_EQ(findings[0].code, "setup.grpc_connect");
  EXPECT_EQ(findings[0].confidence, 0.97);
}

}  // namespace
}  // namespace lockstep::diagnose
