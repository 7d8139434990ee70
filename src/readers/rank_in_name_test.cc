#include "readers/rank_in_name.h"

#include <gtest/gtest.h>

namespace lockstep::readers {
namespace {

std::optional<int> rank_of(const char* name) {
  return rank_in_name(name).rank;
}

TEST(RankInName, KnowsEveryWriter) {
  EXPECT_EQ(rank_of("/tmp/nccl_trace_rank_3"), 3);
  EXPECT_EQ(rank_of("/root/.cache/torch/comm_lib_trace_rank_1023"), 1023);
  EXPECT_EQ(rank_of("rank_3.json"), 3);
  EXPECT_EQ(rank_of("rank3.pkl"), 3);
  EXPECT_EQ(rank_of("rank-00017.json.gz"), 17);
  EXPECT_EQ(rank_of("dump_3.pickle.gz"), 3);
  EXPECT_EQ(rank_of("torchcomm_fr_12"), 12);
  EXPECT_EQ(rank_of("trace.12"), 12);
  EXPECT_EQ(rank_of("job_7/rank_4/dump.json"), 4);
  EXPECT_EQ(rank_of("global_rank_5.json"), 5);
  EXPECT_EQ(rank_of("rank_2_of_8.json"), 2);
}

TEST(RankInName, TheFileComesBeforeItsFolders) {
  EXPECT_EQ(rank_of("rank_1/rank_2"), 2);
  EXPECT_EQ(rank_of("rank_1/dump_7.pickle"), 1);
}

TEST(RankInName, SaysWhenItOnlyGuesses) {
  EXPECT_FALSE(rank_in_name("rank_3").is_guess);
  EXPECT_TRUE(rank_in_name("dump3").is_guess);
}

TEST(RankInName, UnknownIsAnAnswer) {
  for (const char* name :
       {"", "dump.pickle", "-", "local_rank_3.log", "node_rank_1", "frank3x", "step_100.pt", "node7.log",
        "trace_1700000000", "rank_", "rank_99999999999999999999"}) {
    EXPECT_EQ(rank_of(name), std::nullopt) << name;
  }
}

TEST(RankInName, HostAndAttempt) {
  EXPECT_EQ(rank_in_name("local_rank_3.log").local_rank, 3);
  EXPECT_EQ(rank_in_name("d/host-a_nccl_trace_rank_3").host, "host-a");
  EXPECT_EQ(rank_in_name("d/nccl_trace_rank_3").host, "");
  EXPECT_EQ(rank_in_name("stacks/rank_00003.restart_2.python.txt"),
            (RankInName{.rank = 3, .is_guess = false, .local_rank = {}, .restart = 2, .host = ""}));
  const RankInName torchrun = rank_in_name("logs/none_x1/attempt_2/3/stdout.log");
  EXPECT_EQ(torchrun.restart, 2);
  EXPECT_EQ(torchrun.local_rank, 3);
  EXPECT_EQ(torchrun.rank, std::nullopt);
}

}  // namespace
}  // namespace lockstep::readers
