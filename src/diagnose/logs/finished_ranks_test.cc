#include "diagnose/logs/finished_ranks.h"

#include <array>
#include <string_view>

#include <gtest/gtest.h>

#include "base/check.h"
#include "diagnose/logs/judge.h"

namespace lockstep::logs {
namespace {

using catalogue::Catalogue;

model::Finding verdict_on(std::string_view of_rank_0, std::string_view of_rank_1) {
  auto catalogue = Catalogue::load();
  CHECK(catalogue.ok(), "the built-in catalogue loads");
  const std::array logs = {LogText{"rank0.log", of_rank_0, 0}, LogText{"rank1.log", of_rank_1, 1}};
  LogVerdict verdict = judge(catalogue.value(), logs);
  return verdict.findings.empty() ? model::Finding() : std::move(verdict.findings.front());
}

constexpr std::string_view kLostAPeer =
    "step 7 loss 0.31\nRuntimeError: [pair.cc:553] Connection closed by peer [10.0.0.7]:30424\n";

TEST(EndedEarly, ARankThatSaysItIsDoneWasNotLost) {
  const model::Finding finding = verdict_on(kLostAPeer, "step 7 loss 0.30\ntraining finished\n");
  EXPECT_EQ(finding.code, "desync.ended_early");
  EXPECT_EQ(finding.root_ranks, std::vector{1});
  EXPECT_EQ(finding.victim_ranks, std::vector{0});
  EXPECT_FALSE(finding.fixes.empty());
  ASSERT_FALSE(finding.evidence.empty());
  EXPECT_EQ(finding.evidence.front().rank, 0);
}

TEST(EndedEarly, AComplaintThatNamesNobodyMeansTheRankThatIsDone) {
  constexpr std::string_view kShutDown =
      "step 7 loss 0.31\nhorovod.common.exceptions.HorovodInternalError: Horovod has been shut down. This "
      "was caused by an "
      "attempt to allreduce a tensor after one of the ranks finished execution.\n";
  const model::Finding finding = verdict_on(kShutDown, "step 7 loss 0.30\ntraining finished\n");
  EXPECT_EQ(finding.code, "desync.ended_early");
  EXPECT_EQ(finding.root_ranks, std::vector{1});
  EXPECT_EQ(finding.victim_ranks, std::vector{0});
  EXPECT_EQ(verdict_on(kShutDown, "step 7 loss 0.30\n").code, "comm.horovod_shutdown");
}

TEST(EndedEarly, ARankThatSaysNothingWasLost) {
  EXPECT_EQ(verdict_on(kLostAPeer, "step 7 loss 0.30\n").code, "comm.peer_gone");
}

}  // namespace
}  // namespace lockstep::logs
