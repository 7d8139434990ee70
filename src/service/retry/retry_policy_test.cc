#include "service/retry/retry_policy.h"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::int64_t kMebi = 1 << 20;

// Four ranks on two nodes, of which rank 2 failed.
class RetryPolicy : public testing::Test {
 protected:
  RetryPolicy() {
    attempt.workers = 4;
    attempt.nodes = 2;
    attempt.node_names = {"n1", "n2"};
    attempt.reason = EndReason::rank_status(2, 1);
    for (int rank = 0; rank < 4; ++rank) {
      RankEnd& end = attempt.ranks.emplace_back();
      end.rank = rank;
      end.exit_status = 1;
      end.was_asked = rank != 2;
    }
    attempt.first_failed_rank = 2;
  }

  Decision decided(const std::string& code = "", std::int64_t checkpoint_ms = 0) const {
    FailedAttempt failed{job, attempt, {}, silent, checkpoint_ms, set_up};
    if (!code.empty()) {
      model::Finding& finding = failed.findings.emplace_back();
      finding.code = code;
      finding.root_ranks = {2};
    }
    return decide(failed);
  }

  Job job;
  Attempt attempt;
  std::vector<RankEnd> silent;
  SetUpRepair set_up;
};

TEST_F(RetryPolicy, AUsersErrorIsNeverRetried) {
  job.spec.retries = 5;
  for (const char* code : {"script.exception", "import.no_module", "path.file", "tensor.matmul", "xid.13"}) {
    EXPECT_FALSE(decided(code).is_retried) << code;
    EXPECT_THAT(decided(code).why, HasSubstr("would happen again"));
  }
}

TEST_F(RetryPolicy, AUsersErrorThatMakesTheOthersWaitIsNeverRetried) {
  job.spec.retries = 5;
  attempt.reason = EndReason::hung();
  attempt.first_failed_rank.reset();  // it was still ending when all were told to
  model::Finding wait;
  wait.code = model::codes::kDeadRank;
  wait.leaf = model::Leaf::kRunComm;
  for (const model::KnownCode& code :
       {model::codes::kScriptException, model::codes::kMismatchShape, model::codes::kMismatchOperation}) {
    model::Finding error;
    error.code = code.text;
    error.leaf = code.leaf;
    const Decision decision = decide({job, attempt, {wait, error}, silent, 0, set_up});
    EXPECT_FALSE(decision.is_retried) << code.text;
    EXPECT_EQ(decision.why, std::string(code.text) + " would happen again");
  }
  EXPECT_EQ(decide({job, attempt, {wait}, silent, 0, set_up}).why, "hang: once more");
}

TEST_F(RetryPolicy, WhatIsNotKnownIsRetriedWhenAskedFor) {
  EXPECT_FALSE(decided().is_retried);
  job.spec.retries = 1;
  const Decision decision = decided();
  EXPECT_TRUE(decision.is_retried);
  job.repairs = decision.repairs;
  EXPECT_FALSE(decided().is_retried);
}

TEST_F(RetryPolicy, AFaultIsRepairedOnce) {
  const Decision decision = decided("setup.port_in_use");
  EXPECT_TRUE(decision.is_retried);
  job.repairs = decision.repairs;
  EXPECT_THAT(decided("setup.port_in_use").why, HasSubstr("came back"));
  EXPECT_FALSE(decided("setup.port_in_use").is_retried);
  job.spec.repairs = 0;
  EXPECT_FALSE(decided("setup.grpc_bind").is_retried);
}

TEST_F(RetryPolicy, WhatTheUserSaidOfInterfacesIsLeftOut) {
  job.spec.environment = {{"GLOO_SOCKET_IFNAME", "ib7"}, {"HOME", "/h"}};
  const Decision decision = decided("setup.gloo_interface");
  EXPECT_TRUE(decision.is_retried);
  EXPECT_EQ(decision.repairs.environment, (std::map<std::string, std::string>{{"GLOO_SOCKET_IFNAME", ""}}));
}

TEST_F(RetryPolicy, BrokenHardwareExcludesItsNode) {
  const Decision decision = decided("dev.ecc");
  EXPECT_TRUE(decision.is_retried);
  EXPECT_THAT(decision.repairs.excluded_nodes, ElementsAre("n2"));
  attempt.node_names.clear();
  EXPECT_FALSE(decided("dev.ecc").is_retried);
}

TEST_F(RetryPolicy, ANodeWithoutALastWordIsLost) {
  std::erase_if(attempt.ranks, [](const RankEnd& rank) { return rank.rank >= 2; });
  attempt.first_failed_rank = 0;
  attempt.ranks[0].was_asked = false;
  attempt.ranks[0].ended_ms = 10'000;
  RankEnd& gone = silent.emplace_back();
  gone.rank = 3;
  gone.alive_ms = 9'000;
  EXPECT_THAT(decided("comm.peer_gone").repairs.excluded_nodes, ElementsAre("n2"));
  EXPECT_TRUE(decided("comm.peer_gone").is_retried);
  gone.alive_ms = 11'000;  // killed after the failure, as its victim
  EXPECT_FALSE(decided("script.exception").is_retried);
}

TEST_F(RetryPolicy, OnlyTheNodeThatFellSilentFirstIsLost) {
  attempt.ranks.clear();
  attempt.first_failed_rank.reset();
  attempt.reason = EndReason::node_lost("Slurm");
  for (int rank = 0; rank < 4; ++rank) {
    RankEnd& killed = silent.emplace_back();
    killed.rank = rank;
    killed.alive_ms = rank < 2 ? 48'000 : 35'000;
  }
  EXPECT_TRUE(decided().is_retried);
  EXPECT_THAT(decided().repairs.excluded_nodes, ElementsAre("n2"));
}

TEST_F(RetryPolicy, ASignOfLifeMayBeALittleLate) {
  std::erase_if(attempt.ranks, [](const RankEnd& rank) { return rank.rank >= 2; });
  attempt.first_failed_rank = 0;
  attempt.ranks[0].was_asked = false;
  attempt.ranks[0].ended_ms = 10'000;
  RankEnd& gone = silent.emplace_back();
  gone.rank = 3;
  gone.alive_ms = 10'300;
  EXPECT_THAT(decided("comm.peer_gone").repairs.excluded_nodes, ElementsAre("n2"));
  gone.alive_ms = 10'301;
  EXPECT_THAT(decided("comm.peer_gone").repairs.excluded_nodes, IsEmpty());
}

TEST_F(RetryPolicy, ANodeIsLostWhoseRanksWereSilentForFiveSeconds) {
  attempt.ranks.clear();
  attempt.first_failed_rank.reset();
  attempt.reason = EndReason::node_lost("Slurm");
  silent = {RankEnd{.rank = 0, .alive_ms = 48'000}, RankEnd{.rank = 3, .alive_ms = 43'000}};
  EXPECT_THAT(decided().repairs.excluded_nodes, ElementsAre("n2"));
  silent[1].alive_ms = 43'001;
  EXPECT_THAT(decided().repairs.excluded_nodes, IsEmpty());
}

TEST_F(RetryPolicy, ASchedulerThatLostANodeSoonToldTheOthersToEnd) {
  attempt.reason = EndReason::node_lost("Slurm");
  attempt.first_failed_rank.reset();
  std::erase_if(attempt.ranks, [](const RankEnd& rank) { return rank.rank >= 2; });
  for (RankEnd& rank : attempt.ranks) rank.ended_ms = 50'000;
  for (const int rank : {2, 3}) {
    RankEnd& gone = silent.emplace_back();
    gone.rank = rank;
    gone.alive_ms = 48'500;
  }
  EXPECT_THAT(decided().repairs.excluded_nodes, ElementsAre("n2"));
  for (RankEnd& rank : silent) rank.alive_ms = 54'000;  // it ignored that, and was killed
  EXPECT_THAT(decided().repairs.excluded_nodes, testing::IsEmpty());
  for (RankEnd& rank : silent) rank.alive_ms = 48'500;
  attempt.reason = EndReason::preempted("Slurm");
  EXPECT_THAT(decided().repairs.excluded_nodes, testing::IsEmpty());
}

TEST_F(RetryPolicy, MemoryGrowsAsFarAsAllowed) {
  job.per_worker.memory_bytes = 100 * kMebi;
  attempt.ranks[2].hit_memory_limit = true;
  EXPECT_FALSE(decided().is_retried);
  job.spec.memory_most = 150 * kMebi;
  EXPECT_TRUE(decided().is_retried);
  EXPECT_EQ(decided().memory_bytes, 150 * kMebi);
  job.per_worker.memory_bytes = 150 * kMebi;
  EXPECT_FALSE(decided().is_retried);
}

TEST_F(RetryPolicy, AHangIsTriedOnceMoreElsewhere) {
  attempt.reason = EndReason::hung();
  const Decision decision = decided("desync.stopped_rank");
  EXPECT_TRUE(decision.is_retried);
  EXPECT_THAT(decision.repairs.excluded_nodes, ElementsAre("n2"));
  job.repairs = decision.repairs;
  EXPECT_FALSE(decided("desync.stopped_rank").is_retried);
}

TEST_F(RetryPolicy, APreemptionIsNoFault) {
  attempt.ranks[2].exit_status.reset();
  attempt.ranks[2].signal = SIGTERM;
  EXPECT_TRUE(decided("script.exception").is_retried);
}

TEST_F(RetryPolicy, ANewerCheckpointRefillsTheBudget) {
  attempt.ranks[2].signal = SIGTERM;
  job.repairs.retries_used = 3;
  job.repairs.newest_checkpoint_ms = 1000;
  EXPECT_FALSE(decided("", 1000).is_retried);
  const Decision decision = decided("", 2000);
  EXPECT_TRUE(decision.is_retried);
  EXPECT_EQ(decision.repairs.retries_used, 1);
}

TEST_F(RetryPolicy, TheTimeLimitIsTheUsersWord) {
  attempt.reason = EndReason::time_limit(1);
  job.spec.retries = 5;
  EXPECT_FALSE(decided().is_retried);
}

TEST_F(RetryPolicy, AJobThatSomebodyCancelledStaysCancelled) {
  attempt.reason = EndReason::cancelled_outside("Slurm");
  attempt.ranks[2].exit_status.reset();
  attempt.ranks[2].signal = SIGTERM;
  job.spec.retries = 5;
  EXPECT_FALSE(decided().is_retried);
}

TEST_F(RetryPolicy, TheKindOfTheEndDecidesAndNotItsWords) {
  attempt.first_failed_rank.reset();
  job.spec.retries = 1;
  attempt.reason = {EndKind::kRefused,
                    "Slurm refused it: the time limit was preempted by nobody and could not go on"};
  EXPECT_EQ(decided().why, "retry 1 of 1");
  attempt.reason = {EndKind::kPreempted, ""};
  EXPECT_EQ(decided().why, "preempted: ");
  attempt.reason = {EndKind::kSilent, ""};
  EXPECT_EQ(decided().why, "hang: once more");
  attempt.reason = {EndKind::kTimeLimit, ""};
  EXPECT_EQ(decided().why, "it was at its time limit");
}

TEST_F(RetryPolicy, WhatARuleRepairsIsChangedAsItSays) {
  set_up.changes = {{"GLOO_SOCKET_IFNAME", "ib7", std::nullopt, ""},
                    {"NCCL_SOCKET_IFNAME", {}, "=eth1", "n2"}};
  set_up.codes = {"setup.gloo_interface"};
  set_up.because = {"rule N14: it is no interface"};
  set_up.outside = {"on n1: ufw allow"};
  const Decision decision = decided("setup.gloo_interface");
  ASSERT_TRUE(decision.is_retried);
  EXPECT_EQ(decision.repairs.environment.at("GLOO_SOCKET_IFNAME"), "");
  EXPECT_EQ(decision.repairs.node_environment.at("n2").at("NCCL_SOCKET_IFNAME"), "=eth1");
  EXPECT_EQ(
      decision.why,
      "setup.gloo_interface: changed GLOO_SOCKET_IFNAME from ib7 to nothing, NCCL_SOCKET_IFNAME from nothing "
      "to =eth1 on n2 because of rule N14: it is no interface; not done, since it is not the job's own: on "
      "n1: ufw allow");
  job.repairs = decision.repairs;
  EXPECT_THAT(decided("setup.gloo_interface").why, HasSubstr("addresses and ports are chosen anew"))
      << "the rules had their turn";
}

TEST_F(RetryPolicy, ARepairIsKnownByWhatItChangesNotByItsWords) {
  set_up.changes = {{"NCCL_NET", "IB", std::nullopt, ""}};
  set_up.codes = {"setup.nccl_no_interface"};
  set_up.because = {"rule I05: there is no such net"};
  job.repairs = decided("setup.nccl_no_interface").repairs;
  set_up.because = {"rule I05: no net has that name"};
  EXPECT_THAT(decided("setup.nccl_no_interface").why, Not(HasSubstr("changed"))) << "it was done";
  set_up.changes[0].after = "Socket";
  EXPECT_THAT(decided("setup.nccl_no_interface").why, HasSubstr("changed NCCL_NET from IB to Socket"));
}

TEST_F(RetryPolicy, ARuleDoesNotRetryWhatItDoesNotExplain) {
  set_up.changes = {{"NCCL_NET", "IB", std::nullopt, ""}};
  set_up.codes = {"setup.nccl_no_interface"};
  set_up.because = {"rule I05: there is no such net"};
  EXPECT_FALSE(decided("script.exception").is_retried);
  job.spec.repairs = 0;
  EXPECT_FALSE(decided("setup.nccl_no_interface").is_retried);
}

}  // namespace
}  // namespace lockstep::service
