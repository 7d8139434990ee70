#include "diagnose/arbitrate/combine.h"

#include <gtest/gtest.h>

namespace lockstep::diagnose {
namespace {

using model::Finding;
using model::Leaf;
using model::Verdict;

Finding finding(Leaf leaf, const std::string& code, double confidence) {
  Finding one;
  one.leaf = leaf;
  one.code = code;
  one.confidence = confidence;
  return one;
}

std::vector<std::string> codes(const Verdict& verdict) {
  std::vector<std::string> all;
  for (const Finding& one : verdict.findings) all.push_back(one.code.text());
  return all;
}

const Finding kMissing = finding(Leaf::kPerfHang, "desync.missing_rank", 0.95);

TEST(Combine, AnErrorThatWasPrintedComesBeforeTheWaitingItCaused) {
  const Verdict verdict =
      combine({.job = {}, .findings = {kMissing}, .limits = {}},
              {.job = {}, .findings = {finding(Leaf::kRunMem, "mem.gpu", 0.9)}, .limits = {}});
  EXPECT_EQ(codes(verdict), (std::vector<std::string>{"mem.gpu", "desync.missing_rank"}));
}

TEST(Combine, PrintedComplaintsAboutWaitingGiveWayToTheProof) {
  const Verdict verdict =
      combine({.job = {}, .findings = {kMissing}, .limits = {}},
              {.job = {}, .findings = {finding(Leaf::kPerfHang, "hang.watchdog", 0.9)}, .limits = {}});
  EXPECT_EQ(codes(verdict), std::vector<std::string>{"desync.missing_rank"});
}

TEST(Combine, WhatTheFrameworkItselfComplainedOfBearsTheProofOut) {
  Finding stall = finding(Leaf::kPerfHang, "hang.horovod_stall", 0.9);
  for (int line = 1; line <= 9; ++line) {
    stall.evidence.push_back({.file = "job.err", .line = line, .rank = 0, .text = "Missing ranks: 2"});
  }
  const Verdict verdict = combine({.job = {}, .findings = {kMissing}, .limits = {}},
                                  {.job = {}, .findings = {stall}, .limits = {}});
  ASSERT_EQ(codes(verdict), std::vector<std::string>{"desync.missing_rank"});
  const auto& evidence = verdict.findings.front().evidence;
  ASSERT_EQ(evidence.size(), kMissing.evidence.size() + 2);
  EXPECT_EQ(evidence.back().file, "job.err");
}

TEST(Combine, WhatALostRankCouldNotCommunicateIsWhyItWasLost) {
  Finding lost = finding(Leaf::kPerfHang, "desync.dead_rank", 0.95);
  lost.root_ranks = {1};
  Finding printed = finding(Leaf::kRunComm, "comm.same_name", 0.9);
  printed.root_ranks = {1};
  Finding complaint = finding(Leaf::kRunComm, "comm.reset", 0.9);
  complaint.root_ranks = {0};
  const Verdict verdict = combine({.job = {}, .findings = {lost}, .limits = {}},
                                  {.job = {}, .findings = {printed, complaint}, .limits = {}});
  EXPECT_EQ(codes(verdict), (std::vector<std::string>{"comm.same_name", "desync.dead_rank"}));
}

TEST(Combine, WhatARankPrintedThatLeftNoRecordIsWhyItNeverCame) {
  Finding unseen = finding(Leaf::kSetupHang, "setup.rank_not_started", 0.65);
  unseen.root_ranks = {1};
  Finding printed = finding(Leaf::kPkgImport, "import.no_module", 0.5);
  printed.root_ranks = {1};
  printed.evidence.push_back({.file = "job.err", .line = 1, .rank = 1, .text = "No module named 'x'"});
  const auto together = [&] {
    return codes(combine({.job = {}, .findings = {unseen}, .limits = {}},
                         {.job = {}, .findings = {printed}, .limits = {}}));
  };
  EXPECT_EQ(together(), (std::vector<std::string>{"import.no_module", "setup.rank_not_started"}));
  printed.root_ranks = {0};
  EXPECT_EQ(together(), (std::vector<std::string>{"setup.rank_not_started", "import.no_module"}));
}

TEST(Combine, ACrashWithoutARankIsThatOfTheRankThatDied) {
  Finding lost = finding(Leaf::kRunComm, "desync.dead_rank", 0.95);
  lost.root_ranks = {1};
  lost.victim_ranks = {0};
  Finding crash = finding(Leaf::kRunSegv, "segv.signal", 0.5);
  crash.evidence.push_back({.file = "job.err", .line = 1, .rank = std::nullopt, .text = "exitcode: -11"});
  const Verdict verdict =
      combine({.job = {}, .findings = {lost}, .limits = {}}, {.job = {}, .findings = {crash}, .limits = {}});
  EXPECT_EQ(codes(verdict), (std::vector<std::string>{"segv.signal", "desync.dead_rank"}));
  EXPECT_EQ(verdict.findings.front().root_ranks, std::vector<int>{1});
}

TEST(Combine, WhatIsSeenAndPrintedIsToldOnce) {
  Finding printed = finding(Leaf::kPerfSlow, "slow.rate_falls", 0.5);
  printed.evidence.push_back({.file = "job.out", .line = 9, .rank = 0, .text = "1.2 it/s"});
  const Verdict verdict =
      combine({.job = {}, .findings = {finding(Leaf::kPerfSlow, "slow.rate_falls", 0.7)}, .limits = {}},
              {.job = {}, .findings = {printed}, .limits = {}});
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_EQ(verdict.findings.front().confidence, 0.7);
  EXPECT_EQ(verdict.findings.front().evidence.size(), 1U);
}

TEST(Combine, ACrashFollowsFromCallsThatDoNotFit) {
  const auto first_with = [](const Finding& printed) {
    return combine({.job = {}, .findings = {finding(Leaf::kPerfHang, "mismatch.shape", 0.97)}, .limits = {}},
                   {.job = {}, .findings = {printed}, .limits = {}})
        .findings.front()
        .code;
  };
  EXPECT_EQ(first_with(finding(Leaf::kRunSegv, "segv.heap", 0.9)), "mismatch.shape");
  EXPECT_EQ(first_with(finding(Leaf::kRunMem, "mem.gpu", 0.9)), "mem.gpu") << "an error of its own";
}

TEST(Combine, WhoseCallIsTheOddOneIsMoreThanThatSomeDoNotFit) {
  Finding misfit = finding(Leaf::kRunTensor, "mismatch.shape", 0.97);
  misfit.root_ranks = {2};
  Finding printed = finding(Leaf::kRunTensor, "tensor.tf_collective", 0.9);
  const auto first = [&] {
    return combine({.job = {}, .findings = {misfit}, .limits = {}},
                   {.job = {}, .findings = {printed}, .limits = {}})
        .findings.front()
        .code;
  };
  EXPECT_EQ(first(), "mismatch.shape");
  misfit.confidence = 0.7;
  EXPECT_EQ(first(), "tensor.tf_collective") << "of two ranks neither is the odd one";
  misfit.confidence = 0.97;
  printed.root_ranks = {1};
  EXPECT_EQ(first(), "tensor.tf_collective") << "an error that one rank has by itself";
}

TEST(Combine, AGuessFromWordsComesLast) {
  const Verdict verdict =
      combine({.job = {}, .findings = {kMissing}, .limits = {}},
              {.job = {}, .findings = {finding(Leaf::kRunTensor, "guess", 0.4)}, .limits = {}});
  EXPECT_EQ(codes(verdict), (std::vector<std::string>{"desync.missing_rank", "guess"}));
}

TEST(Combine, WhyAProcessEndedIsMoreThanThatItDid) {
  const Verdict verdict =
      combine({.job = {}, .findings = {finding(Leaf::kRunOther, "process.failed", 0.6)}, .limits = {}},
              {.job = {}, .findings = {finding(Leaf::kRunMem, "mem.gpu", 0.9)}, .limits = {}});
  EXPECT_EQ(codes(verdict), std::vector<std::string>{"mem.gpu"});
}

Finding failure_of(std::vector<int> roots, std::vector<int> victims) {
  Finding one = finding(Leaf::kRunOther, "process.failed", 0.6);
  one.root_ranks = std::move(roots);
  one.victim_ranks = std::move(victims);
  return one;
}

Finding killed_on(std::optional<int> rank) {
  Finding one = finding(Leaf::kRunMem, "mem.killed", 0.9);
  one.evidence.push_back({.file = "launcher.err", .line = 2, .rank = rank, .text = "exitcode: -9"});
  return one;
}

TEST(Combine, WhatAllRanksPrintIsWhyOneOfThemWasLostFirst) {
  Finding lost = finding(Leaf::kRunComm, "desync.dead_rank", 0.6);
  lost.root_ranks = {0};
  Finding raised = finding(Leaf::kRunTensor, "tensor.index", 0.52);
  for (const int rank : {0, 1})
    raised.evidence.push_back({.file = "job.err", .line = 1 + rank, .rank = rank, .text = "IndexError"});
  Finding aborted = finding(Leaf::kRunSegv, "segv.abort", 0.26);
  aborted.root_ranks = {0};
  aborted.evidence.push_back({.file = "job.err", .line = 9, .rank = 0, .text = "exitcode: -6"});
  const Verdict verdict = combine({.job = {}, .findings = {lost}, .limits = {}},
                                  {.job = {}, .findings = {raised, aborted}, .limits = {}});
  EXPECT_EQ(codes(verdict).front(), "tensor.index") << "how its process ended then says less";
}

TEST(Combine, ASignalAloneIsNoWordAboutMemory) {
  Finding lost = finding(Leaf::kRunComm, "desync.dead_rank", 0.95);
  lost.root_ranks = {1};
  const auto with = [&](const std::vector<Finding>& printed) {
    return combine({.job = {}, .findings = {lost}, .limits = {}},
                   {.job = {}, .findings = printed, .limits = {}});
  };
  const Verdict killed = with({killed_on(std::nullopt)});
  EXPECT_EQ(codes(killed), std::vector<std::string>{"desync.dead_rank"});
  ASSERT_EQ(killed.findings.front().evidence.size(), 1U);
  EXPECT_EQ(killed.findings.front().evidence.front().text, "exitcode: -9") << "the launcher's line stays";
  const Verdict out_of_memory =
      with({finding(Leaf::kRunMem, "mem.oom_killer", 0.95), killed_on(std::nullopt)});
  EXPECT_EQ(codes(out_of_memory), (std::vector<std::string>{"mem.oom_killer", "desync.dead_rank"}));
  Finding other_rank = killed_on(std::nullopt);
  other_rank.root_ranks = {0};
  const Verdict corrected = with({other_rank});
  EXPECT_EQ(codes(corrected), std::vector<std::string>{"desync.dead_rank"});
  EXPECT_EQ(corrected.findings.front().root_ranks, std::vector<int>{0}) << "the launcher waited for them";
}

TEST(Combine, TheOneRankThatFailedIsTheRankALaunchersLineIsAbout) {
  const auto roots = [](const Finding& ended, const Finding& told) {
    return combine({.job = {}, .findings = {ended}, .limits = {}},
                   {.job = {}, .findings = {told}, .limits = {}})
        .findings.front()
        .root_ranks;
  };
  EXPECT_EQ(roots(failure_of({1}, {}), killed_on(std::nullopt)), std::vector<int>{1});
  EXPECT_TRUE(roots(failure_of({1}, {}), killed_on(0)).empty()) << "the line has a rank of its own";
  EXPECT_TRUE(roots(failure_of({1}, {0}), killed_on(std::nullopt)).empty()) << "two ranks failed";
}

TEST(Combine, WhatOnlyRepeatsThatARankFailedDoesNotExplainItsLoss) {
  Finding lost = finding(Leaf::kPerfHang, "desync.dead_rank", 0.95);
  lost.root_ranks = {1};
  const auto first_with = [&](const std::string& code) {
    Finding printed = finding(Leaf::kRunOther, code, 0.3);
    printed.root_ranks = {1};
    printed.evidence.push_back(
        {.file = "launcher.err", .line = 2, .rank = 1, .text = "Process name: [[7,1],1]"});
    return combine({.job = {}, .findings = {lost}, .limits = {}},
                   {.job = {}, .findings = {printed}, .limits = {}})
        .findings.front()
        .code;
  };
  EXPECT_EQ(first_with("other.exception"), "other.exception");
  EXPECT_EQ(first_with("wrapper.mpirun"), "desync.dead_rank");
}

TEST(Combine, APrintedExceptionSaysMoreThanAnExitStatus) {
  Finding printed = finding(Leaf::kRunOther, "other.exception", 0.4);
  printed.evidence.push_back({.file = "rank_0.err", .line = 9, .rank = 0, .text = "ValueError: bad batch"});
  const Verdict verdict =
      combine({.job = {}, .findings = {finding(Leaf::kRunOther, "process.ended", 0.6)}, .limits = {}},
              {.job = {}, .findings = {printed, finding(Leaf::kRunTensor, "guess", 0.3)}, .limits = {}});
  EXPECT_EQ(codes(verdict), (std::vector<std::string>{"other.exception", "process.ended", "guess"}));
}

TEST(Combine, KeepsWhatEitherKnowsOfTheJob) {
  Verdict from_ranks;
  from_ranks.job.ranks_seen = {1, 2};
  from_ranks.limits = {"a"};
  Verdict from_logs;
  from_logs.job.framework = "pytorch";
  from_logs.job.ranks_seen = {0, 1};
  from_logs.limits = {"b"};
  const Verdict verdict = combine(from_ranks, from_logs);
  EXPECT_EQ(verdict.job.framework, "pytorch");
  EXPECT_EQ(verdict.job.ranks_seen, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(verdict.limits, (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace lockstep::diagnose
