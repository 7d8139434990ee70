#include "service/engine/slurm/slurm_tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::service {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(SlurmWords, NodesAreReadLineByLine) {
  const auto nodes = nodes_in(
      "n1|main*|2|2048|(null)|idle|infinite\nn2|gpu|64+|512000+|gpu:a100:4(S:0-1),nvme:1|mixed|1-00:00:00\n"
      "something new\n");
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_TRUE(nodes[0].is_default);
  EXPECT_EQ(nodes[0].partition, "main");
  EXPECT_EQ(nodes[0].memory_bytes, std::int64_t{2048} << 20);
  EXPECT_EQ(nodes[0].time_limit_s, std::nullopt);
  EXPECT_FALSE(nodes[1].is_default);
  EXPECT_EQ(nodes[1].cpus, 64);
  EXPECT_EQ(nodes[1].gpus, 4);
  EXPECT_EQ(nodes[1].time_limit_s, 86'400);
}

TEST(SlurmWords, ANodeThatDoesNotAnswerCannotWork) {
  SlurmNode node;
  for (const char* state : {"idle", "mixed", "allocated", "completing"}) {
    node.state = state;
    EXPECT_TRUE(node.can_work()) << state;
  }
  for (const char* state : {"down", "down*", "drained", "draining", "idle*", "fail"}) {
    node.state = state;
    EXPECT_FALSE(node.can_work()) << state;
  }
}

TEST(SlurmWords, TimesInEveryForm) {
  EXPECT_EQ(seconds_in("30:00"), 1800);
  EXPECT_EQ(seconds_in("2:00:00"), 7200);
  EXPECT_EQ(seconds_in("1-02:03:04"), 93'784);
  EXPECT_EQ(seconds_in("45"), 2700);
  EXPECT_EQ(seconds_in("infinite"), std::nullopt);
  EXPECT_EQ(seconds_in("UNLIMITED"), std::nullopt);
}

TEST(SlurmWords, AStateThatIsNotKnownIsNoEnd) {
  EXPECT_EQ(state_in("PENDING|Resources|\n").standing, RemoteStanding::kWaiting);
  EXPECT_EQ(state_in("RUNNING|None|n[1-2]\n").nodes, "n[1-2]");
  EXPECT_EQ(state_in("NODE_FAIL|NodeDown|n1\n").standing, RemoteStanding::kOver);
  EXPECT_EQ(state_in("LEVITATING|None|n1\n").standing, RemoteStanding::kUnknown);
  EXPECT_EQ(state_in("").standing, RemoteStanding::kUnknown);
}

TEST(SlurmWords, AccountsTellWhoCancelledToo) {
  const SlurmState cancelled = accounted_state_in("CANCELLED by 1000|n[1-2]\n");
  EXPECT_EQ(cancelled.standing, RemoteStanding::kOver);
  EXPECT_EQ(cancelled.word, "CANCELLED");
  EXPECT_EQ(cancelled.nodes, "n[1-2]");
  EXPECT_EQ(accounted_state_in("RUNNING|n1\n").standing, RemoteStanding::kRunning);
  EXPECT_EQ(accounted_state_in("").standing, RemoteStanding::kUnknown);
}

TEST(SlurmWords, OnlyWhatIsSaidOfTheAccountIsARefusalOfIt) {
  EXPECT_EQ(
      account_refusal_in("allocation failure: Invalid account or account/partition combination specified\n"),
      "Invalid account or account/partition combination specified");
  EXPECT_EQ(account_refusal_in("sbatch: Job 1 to start at 2026-11-16T21:21:37 using 1 processors\n"),
            std::nullopt);
  EXPECT_EQ(account_refusal_in("allocation failure: Requested node configuration is not available\n"),
            std::nullopt);
}

TEST(SlurmWords, TheNumberOfAJobStandsLast) {
  EXPECT_EQ(job_number_in("Welcome to the cluster\n17;lab\n"), "17");
  EXPECT_EQ(job_number_in("18\n"), "18");
  EXPECT_EQ(job_number_in("no\n"), std::nullopt);
}

TEST(SlurmWords, OneTaskForEachNode) {
  Plan plan;
  plan.job_id = "job_x";
  plan.attempt = 2;
  plan.nodes = 3;
  plan.time_limit_s = 90;
  plan.command = {"python3", ":"};
  plan.slurm = SlurmRequest{.tools = "/opt/slurm's/bin",
                            .partition = "main",
                            .account = "",
                            .cpus_per_node = 4,
                            .gpus_per_node = 2,
                            .memory_per_node = (std::int64_t{1} << 30) + 1,
                            .excluded_nodes = {"n2", "n7"}};
  const AttemptFolder folder{"/shared/a b"};
  const auto words = sbatch_words(folder, plan);
  for (const char* word :
       {"--nodes=3", "--ntasks=3", "--ntasks-per-node=1", "--cpus-per-task=4", "--gres=gpu:2", "--mem=1025M",
        "--exclude=n2,n7", "--time=3", "--no-requeue", "--job-name=lockstep-job_x-2"})
    EXPECT_THAT(words, Contains(word));
  const std::string script = batch_script(folder, plan, "/usr/bin/lockstep");
  EXPECT_THAT(script, HasSubstr("'/opt/slurm'\\''s/bin/srun'"));
  EXPECT_THAT(script, HasSubstr("service-part node '/shared/a b'"));
  EXPECT_EQ(script.find("python3"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::service
