#include "diagnose/logs/watchdog_calls.h"

#include <gtest/gtest.h>

#include "base/check.h"
#include "diagnose/logs/judge.h"

namespace lockstep::logs {
namespace {

std::string complaint(int rank, int number, const std::string& operation, const std::string& group = "0") {
  return "[rank" + std::to_string(rank) + "]:[E1118 03:10:0" + std::to_string(rank) +
         ".123456789 ProcessGroupNCCL.cpp:616] [PG ID " + group + " PG GUID " + group + "(default_pg) Rank " +
         std::to_string(rank) +
         "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=" + std::to_string(number) +
         ", OpType=" + operation +
         ", NumelIn=4096, NumelOut=4096, Timeout(ms)=600000) ran for 600026 milliseconds before timing "
         "out.\n";
}

model::Finding first_finding(const std::string& log) {
  const LogText text{.name = "job.log", .bytes = log, .rank = std::nullopt};
  static const auto shipped = catalogue::Catalogue::load();
  CHECK(shipped.ok(), "the built-in catalogue loads");
  const LogVerdict verdict = judge(shipped.value(), {&text, 1});
  return verdict.findings.empty() ? model::Finding{} : verdict.findings.front();
}

TEST(WatchdogCalls, OneRankInAnotherOperationIsTheRootCause) {
  const model::Finding found =
      first_finding(complaint(0, 18273, "ALLREDUCE") + complaint(1, 18273, "ALLGATHER") +
                    complaint(2, 18273, "ALLREDUCE") + complaint(3, 18273, "ALLREDUCE"));
  EXPECT_EQ(found.code, model::codes::kMismatchOperation);
  EXPECT_EQ(found.root_ranks, std::vector<int>{1});
  EXPECT_EQ(found.victim_ranks, (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(found.title, "Rank 1 called allgather while ranks 0 and 2-3 called allreduce (#18273)");
  ASSERT_FALSE(found.evidence.empty());
  EXPECT_EQ(found.evidence.front().rank, 1);
}

TEST(WatchdogCalls, TheSameCallTwoOfTwoAndOtherNumbersShowNoMisfit) {
  for (const std::string& log :
       {complaint(0, 7, "ALLREDUCE") + complaint(1, 7, "ALLREDUCE") + complaint(2, 7, "ALLREDUCE"),
        complaint(0, 7, "ALLREDUCE") + complaint(1, 7, "ALLGATHER"),
        complaint(0, 7, "ALLREDUCE") + complaint(1, 8, "ALLGATHER") + complaint(2, 7, "ALLREDUCE"),
        complaint(0, 7, "ALLREDUCE") + complaint(1, 7, "ALLGATHER", "1") + complaint(2, 7, "ALLREDUCE")})
    EXPECT_NE(first_finding(log).code, model::codes::kMismatchOperation) << log;
}

}  // namespace
}  // namespace lockstep::logs
