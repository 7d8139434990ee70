#include "diagnose/logs/judge.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/check.h"

namespace lockstep::logs {
namespace {

using catalogue::Catalogue;

using model::Leaf;
using model::Scope;

const Catalogue& built_in() {
  static const Catalogue catalogue = [] {
    auto loaded = Catalogue::load();
    CHECK(loaded.ok(), "the built-in catalogue loads");
    return std::move(loaded).value();
  }();
  return catalogue;
}

LogVerdict judged(std::string_view text) {
  const LogText log{"job.log", text, std::nullopt};
  return judge(built_in(), std::span(&log, 1));
}

model::Finding verdict_on(std::string_view text) {
  LogVerdict verdict = judged(text);
  return verdict.findings.empty() ? model::Finding() : std::move(verdict.findings.front());
}

TEST(Judge, TheRankThatRanOutOfMemoryBeganIt) {
  const model::Finding finding = verdict_on(
      "[rank5]:[E ProcessGroupNCCL.cpp:563] [Rank 5] Watchdog caught collective operation timeout: "
      "WorkNCCL(...)\n"
      "host:1 [0] NCCL INFO [Service thread] Connection closed by localRank 2\n"
      "[rank2]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 336.00 MiB.\n");
  EXPECT_EQ(finding.leaf, Leaf::kRunMem);
  EXPECT_EQ(finding.root_ranks, std::vector{2});
  EXPECT_EQ(finding.victim_ranks, std::vector{5});
  ASSERT_FALSE(finding.evidence.empty());
  EXPECT_EQ(finding.evidence.front().line, 3);
  EXPECT_EQ(finding.evidence.front().rank, 2);
  EXPECT_GE(finding.confidence, 0.8);
}

TEST(Judge, ATimeLimitIsNoPreemption) {
  const LogVerdict verdict = judged(
      "0: [2026-11-18 04:00:00] step 4810 loss 2.113\n1: [2026-11-18 04:00:00] step 4810 loss 2.113\n"
      "0: [2026-11-18 04:00:10] step 4820 loss 2.108\n1: [2026-11-18 04:00:10] step 4820 loss 2.108\n"
      "slurmstepd: error: *** STEP 42.0 ON n17 CANCELLED AT 2026-11-18T04:00:14 DUE TO TIME LIMIT ***\n"
      "slurmstepd: error: *** JOB 42 ON n17 CANCELLED AT 2026-11-18T04:00:14 DUE TO TIME LIMIT ***\n"
      "srun: error: n17: task 1: Terminated\n");
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_EQ(verdict.findings.front().code, "sched.time_limit");
  EXPECT_TRUE(verdict.findings.front().root_ranks.empty());
}

TEST(Judge, SilenceUpToTheTimeLimitIsAHang) {
  const LogVerdict verdict = judged(
      "0: [2026-11-18 00:04:00] step 4810 loss 2.113\n1: [2026-11-18 00:04:00] step 4810 loss 2.113\n"
      "0: [2026-11-18 00:04:10] step 4820 loss 2.108\n1: [2026-11-18 00:04:10] step 4820 loss 2.108\n"
      "0: [2026-11-18 00:04:20] step 4830 loss 2.107\n1: [2026-11-18 00:04:20] step 4830 loss 2.107\n"
      "slurmstepd: error: *** JOB 42 ON n17 CANCELLED AT 2026-11-18T04:18:14 DUE TO TIME LIMIT ***\n");
  ASSERT_EQ(verdict.findings.size(), 2U);
  EXPECT_EQ(verdict.findings.front().leaf, Leaf::kPerfHang);
  EXPECT_EQ(verdict.findings.front().evidence.front().line, 5);
  EXPECT_EQ(verdict.findings.back().code, "sched.time_limit");
}

TEST(Judge, ARankThatNamesItselfWithoutAColonHasATime) {
  const model::Finding finding = verdict_on(
      "[rank0] 2026-11-18 00:04:00 step 4810 loss 2.113\n[rank1] 2026-11-18 00:04:00 step 4810 loss 2.1\n"
      "[rank0] 2026-11-18 00:04:10 step 4820 loss 2.108\n[rank1] 2026-11-18 00:04:10 step 4820 loss 2.1\n"
      "[rank0] 2026-11-18 00:04:20 step 4830 loss 2.107\n[rank1] 2026-11-18 00:04:20 step 4830 loss 2.1\n"
      "slurmstepd: error: *** JOB 42 ON n17 CANCELLED AT 2026-11-18T04:18:14 DUE TO TIME LIMIT ***\n");
  EXPECT_EQ(finding.leaf, Leaf::kPerfHang);
}

TEST(Judge, TheKernelsLinesAreRead) {
  EXPECT_EQ(
      verdict_on("[81231.223411] python[44121]: segfault at 18 ip 00007f2e110a31b3 sp 00007ffd0a1 error 4 in "
                 "libnccl.so.2.18.3[7f2e11000000+a000000]\n")
          .leaf,
      Leaf::kRunSegv);
  EXPECT_EQ(verdict_on("[81299.120001] Kernel panic - not syncing: Fatal exception in interrupt\n"
                       "[81299.120009] CPU: 11 PID: 0 Comm: swapper/11 Tainted: P OE 5.15.0-91-generic\n")
                .leaf,
            Leaf::kPerfOther);
}

TEST(Judge, ALogThatEndsInTheMiddleOfATestIsNotFine) {
  EXPECT_FALSE(
      judged("test_allreduce (test_dist.DistTest) ... ok\ntest_broadcast (test_dist.DistTest) ... ok\n"
             "test_reduce_scatter (test_dist.DistTest) ... Process 2 died from signal 15\n")
          .findings.empty());
}

TEST(Judge, WhoEndedIsReadFromTorchrunsSummary) {
  const model::Finding finding = verdict_on(
      "Failures:\n"
      "[1]:\n"
      "  time      : 2026-11-18_06:07:47\n"
      "  host      : localhost\n"
      "  rank      : 3 (local_rank: 1)\n"
      "  exitcode  : -11 (pid: 9697)  (SIGSEGV)\n");
  EXPECT_EQ(finding.leaf, Leaf::kRunSegv);
  EXPECT_EQ(finding.root_ranks, std::vector{3});
}

TEST(Judge, WhatOthersSupposeOfALostRankIsNoWordAboutIt) {
  const model::Finding finding = verdict_on(
      "[rank2]: Traceback (most recent call last):\n"
      "[rank2]:   File \"/env/lib/python3.11/site-packages/torch/_utils.py\", line 794, in reraise\n"
      "[rank2]:     raise exception\n"
      "[rank2]: RuntimeError: Caught RuntimeError in DataLoader worker process 0.\n"
      "[rank2]: Original Traceback (most recent call last):\n"
      "[rank2]: RuntimeError: corrupt sample 157\n"
      "[rank1]: RuntimeError: [gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.1]:1344. "
      "This is "
      "typically caused by a remote worker crashing. Check the logs of the remote worker.\n");
  EXPECT_EQ(finding.leaf, Leaf::kPrepData);
  EXPECT_EQ(finding.root_ranks, std::vector{2});
}

TEST(Judge, ThoseWhoWaitAreNotTheCulprits) {
  const model::Finding finding = verdict_on(
      "[rank1]:[E ProcessGroupNCCL.cpp:523] Watchdog caught collective operation timeout: WorkNCCL(x)\n");
  EXPECT_EQ(finding.leaf, Leaf::kPerfHang);
  EXPECT_TRUE(finding.root_ranks.empty());
}

TEST(Judge, AnExceptionBeforeTheTimeoutsIsWhatTheyWaitedFor) {
  const model::Finding finding = verdict_on(
      "  File \"/env/torch/utils/data/dataloader.py\", line 521, in __next__\n"
      "StopIteration\n"
      "[rank3]:[E ProcessGroupNCCL.cpp:475] Watchdog caught collective operation timeout: WorkNCCL(x)\n");
  EXPECT_EQ(finding.leaf, Leaf::kPrepIter);
}

model::Finding verdict_on_two(std::string_view zero, std::string_view one) {
  const LogText logs[] = {{"0.log", zero, 0}, {"1.log", one, 1}};
  LogVerdict verdict = judge(built_in(), logs);
  return verdict.findings.empty() ? model::Finding() : std::move(verdict.findings.front());
}

TEST(Judge, TheRankWhoseLossIsNoNumberAStepBeforeTheOthersBeganIt) {
  const model::Finding finding =
      verdict_on_two("epoch 2 step 11 loss: 0.3\nepoch 2 step 12 loss: 0.3\nepoch 2 step 13 loss: nan\n",
                     "epoch 2 step 11 loss: 0.3\nepoch 2 step 12 loss: nan\nepoch 2 step 13 loss: nan\n");
  EXPECT_EQ(finding.code, "result.nan");
  EXPECT_EQ(finding.root_ranks, std::vector{1});
  EXPECT_EQ(finding.scope, Scope::kDistributed);
}

TEST(Judge, ALossThatIsNoNumberOnAllRanksAtOnceBeganNowhere) {
  const model::Finding finding = verdict_on_two("epoch 1 step 13 loss: nan\nepoch 2 step 2 loss: nan\n",
                                                "epoch 1 step 13 loss: nan\nepoch 2 step 2 loss: nan\n");
  EXPECT_TRUE(finding.root_ranks.empty());
  EXPECT_EQ(finding.scope, Scope::kOrdinary);
}

TEST(Judge, TheOneRankThatLostNoConnectionIsTheOneThatTheOthersLost) {
  const model::Finding finding = verdict_on_two(
      "step 3 loss: 0.3\nRuntimeError: [pair.cc:537] Read error [127.0.0.1]:388: Connection reset by peer\n",
      "step 3 loss: 0.3\n");
  EXPECT_EQ(finding.leaf, Leaf::kRunComm);
  EXPECT_EQ(finding.root_ranks, std::vector{1});
}

TEST(Judge, MissingRanksAreNamedByTheStallReport) {
  const model::Finding finding = verdict_on("HorovodAllreduce_acc_0 [missing ranks: 0, 3]\n");
  EXPECT_EQ(finding.code, "hang.horovod_stall");
  EXPECT_EQ(finding.root_ranks, (std::vector{0, 3}));
}

TEST(Judge, AWrapperAloneIsNeverSure) {
  const LogVerdict verdict = judged("torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n");
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_LT(verdict.findings.front().confidence, 0.5);
  EXPECT_FALSE(verdict.collect_next.empty());
}

TEST(Judge, AnOriginBeatsTheWrapperBeforeIt) {
  EXPECT_EQ(verdict_on("ChildFailedError\nPrimary job  terminated normally, but 1 process returned\n"
                       "RuntimeError: CUDA error: invalid device ordinal\n")
                .code,
            "device.invalid_ordinal");
}

TEST(Judge, AdviceIsNoEvidence) {
  EXPECT_TRUE(judged("This may be caused by CUDA out of memory on another rank\n").findings.empty());
}

TEST(Judge, NoiseIsSilent) {
  EXPECT_TRUE(judged("[W socket.cpp:601] [c10d] The client socket has failed to connect to [localhost]:29500 "
                     "(errno: 97 - Address family not supported by protocol).\n"
                     "NCCL INFO NET/IB : No device found.\n"
                     "NVRM: Xid (PCI:0000:3b:00): 63, pid=1, Row remapping event\n"
                     "step 10 loss 0.31\nstep 20 loss 0.29\ntraining done\n")
                  .findings.empty());
}

TEST(Judge, AServerThatServesAJobIsNotWaitingInVain) {
  constexpr std::string_view kServer = "grpc_server_lib.cc:467] Started server with target: grpc://a:2222\n";
  constexpr std::string_view kWorker = "step 1 loss: 0.5\nstep 2 loss: 0.4\n";
  const Catalogue catalogue = Catalogue::load().value();
  const LogText alone[] = {{"rank_1.err", kServer, 1}};
  EXPECT_EQ(judge(catalogue, alone).findings.at(0).code, "hang.tf_server_silent");
  const LogText both[] = {{"rank_1.err", kServer, 1}, {"rank_0.out", kWorker, 0}};
  EXPECT_TRUE(judge(catalogue, both).findings.empty());
}

TEST(Judge, TheNumbersOfTheBarrierSayWhatIsWrong) {
  constexpr std::string_view kText =
      "RuntimeError: Timed out initializing process group in store based barrier on rank: 0, for key: "
      "store_based_barrier_key:1 (world_size={}, worker_count={}, timeout=0:30:00)\n";
  const auto with = [&](const char* world, const char* joined) {
    std::string text(kText);
    text.replace(text.find("{}"), 2, world);
    text.replace(text.find("{}"), 2, joined);
    return verdict_on(text);
  };
  EXPECT_EQ(with("4", "8").fixes.front().pattern, model::FixPattern::kCommunicationConfiguration);
  EXPECT_EQ(with("4", "8").title, "More processes meet than were expected: 8 instead of 4");
  EXPECT_EQ(with("2048", "1792").title, "Not all processes reached the first barrier: 1792 of 2048 did");
}

TEST(Judge, StageDecidesTheLeafOfAHang) {
  constexpr std::string_view kTimeout =
      "[Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2)\n";
  EXPECT_EQ(verdict_on(std::string("Running tokenizer on dataset: 47%|##\n").append(kTimeout)).leaf,
            Leaf::kPrepHang);
  EXPECT_EQ(verdict_on(std::string("step 100 loss 0.3\n").append(kTimeout)).leaf, Leaf::kPerfHang);
}

TEST(Judge, WhoPrintsItDecidesTheScope) {
  constexpr std::string_view kError = "AttributeError: module 'tensorflow' has no attribute 'ConfigProto'\n";
  const std::string all =
      std::string("[1,0]<stderr>:").append(kError) + std::string("[1,1]<stderr>:").append(kError);
  EXPECT_EQ(verdict_on(all).scope, Scope::kOrdinary);
  const std::string one =
      std::string("[1,0]<stderr>:").append(kError) + "[1,1]<stderr>:Connection reset by peer\n";
  EXPECT_EQ(verdict_on(one).scope, Scope::kDistributed);
  EXPECT_EQ(verdict_on(one).root_ranks, std::vector{0});
}

TEST(Judge, RanksComeFromTheFilesToo) {
  const LogText logs[] = {{"rank0.log", "Connection closed by remote peer\n", 0},
                          {"rank1.log", "step 1 loss 2\nSegmentation fault (core dumped)\n", 1}};
  const LogVerdict verdict = judge(built_in(), logs);
  ASSERT_FALSE(verdict.findings.empty());
  EXPECT_EQ(verdict.findings.front().leaf, Leaf::kRunSegv);
  EXPECT_EQ(verdict.findings.front().root_ranks, std::vector{1});
  EXPECT_EQ(verdict.findings.front().evidence.front().file, "rank1.log");
  EXPECT_EQ(verdict.findings.front().evidence.front().line, 2);
}

LogVerdict judged_by_rank(std::initializer_list<std::pair<int, std::string_view>> texts) {
  std::vector<LogText> logs;
  for (const auto& [rank, text] : texts) logs.push_back({"rank_" + std::to_string(rank), text, rank});
  return judge(built_in(), logs);
}

TEST(Judge, WhatEveryRankGotOverIsNoFault) {
  constexpr std::string_view kCaught = "decoder failed, using the slow one\nKeyError: 'turbojpeg'\n";
  constexpr std::string_view kWell = "step=7 loss=1.5\ntraining finished\n";
  EXPECT_TRUE(judged_by_rank({{0, kWell}, {0, kCaught}, {1, kWell}, {1, kCaught}}).findings.empty());
  EXPECT_FALSE(judged_by_rank({{0, kWell}, {0, kCaught}, {1, "step=7 loss=1.5\n"}}).findings.empty());
  constexpr std::string_view kNotWell = "step=7 loss=1.5\ntraining finished with errors\n";
  EXPECT_FALSE(judged_by_rank({{0, kNotWell}, {0, kCaught}}).findings.empty());
  EXPECT_TRUE(judged("[0]<stderr>:KeyError: 'turbojpeg'\n[1]<stdout>:training finished\n"
                     "[0]<stdout>:training finished\n")
                  .findings.empty());
}

TEST(Judge, AJobThatEndedWellCanHaveUsedASlowTransport) {
  constexpr std::string_view kSlow =
      "ucp_context.c:1014 UCX  WARN  transport 'rc' is not available, please use one or more of: cma, tcp\n"
      "training finished\n";
  const LogVerdict verdict = judged_by_rank({{0, kSlow}, {1, kSlow}});
  ASSERT_FALSE(verdict.findings.empty());
  EXPECT_EQ(verdict.findings.front().leaf, Leaf::kSetupProto);
}

TEST(Judge, ProgressBarsTerminalCodesAndBrokenTextDoNotHide) {
  EXPECT_EQ(verdict_on("10%\r20%\r\x1b[31mRuntimeError: CUDA out of memory\x1b[0m\r\n").code, "mem.gpu");
  EXPECT_EQ(verdict_on("\xff\xfe\x80 CUDA out of memory \xc3").code, "mem.gpu");
  EXPECT_EQ(verdict_on(std::string(3 << 20, 'x') + " CUDA out of memory " + std::string(3 << 20, 'y')).code,
            "mem.gpu");
}

TEST(Judge, AFirstEpochThatNeverMovedIsSeen) {
  EXPECT_EQ(verdict_on("INFO:tensorflow:batch_all_reduce: 4 all-reduces\nEpoch 1/500\n").code, "hang.silent");
  EXPECT_TRUE(judged("horovod\nEpoch 1/500\nEpoch 1/500 loss: 0.2\n").findings.empty());
  EXPECT_TRUE(judged("horovod\nEpoch 1/1\n").findings.empty());
}

TEST(Judge, MoreDevicesWithoutMoreSpeedAreSeen) {
  EXPECT_EQ(
      verdict_on(
          "Number of GPUs: 1\nImg/sec per GPU: 124.7\nNumber of GPUs: 2\nIter #0: 62.9 img/sec per GPU\n")
          .leaf,
      Leaf::kPerfSlow);
  EXPECT_TRUE(judged("Number of GPUs: 1\nImg/sec per GPU: 124.7\nNumber of GPUs: 2\nImg/sec per GPU: 120.9\n")
                  .findings.empty());
}

TEST(Judge, ARateThatFallsIsSeen) {
  std::string text;
  const auto add = [&](const char* rate) {
    for (int i = 0; i < 2500; ++i)
      text += "train step " + std::to_string(i) + " running at " + rate + " it/s of it\n";
  };
  add("10.0");
  add("9.5");
  EXPECT_TRUE(judged(text).findings.empty());
  add("2.0");
  add("2.0");
  EXPECT_EQ(verdict_on(text).code, "slow.rate_falls");
}

TEST(Judge, ALossThatGrowsAHundredfoldIsSeen) {
  const auto steps_growing_by = [](double factor) {
    std::string text;
    double loss = 2.5;
    for (int i = 0; i < 24; ++i, loss *= factor)
      text += "step " + std::to_string(i) + " loss=" + std::to_string(loss) + "\n";
    return text;
  };
  EXPECT_EQ(verdict_on(steps_growing_by(3.0)).code, "converge.diverges");
  EXPECT_TRUE(judged(steps_growing_by(1.1)).findings.empty());
  EXPECT_TRUE(judged(steps_growing_by(0.7)).findings.empty());
}

TEST(Judge, UnknownTroubleIsGuessedAndMarked) {
  const model::Finding finding = verdict_on("Traceback (most recent call last):\n  frobnicate the widget\n");
  EXPECT_TRUE(finding.title.starts_with("A guess: ")) << finding.title;
  EXPECT_LT(finding.confidence, 0.5);
}

TEST(Judge, WorkersThatOutliveTheirChiefAreNoFault) {
  const LogVerdict verdict = judged(
      "step 7 loss 0.25\n"
      "E0000 00:00:1794760558.703034   21458 base_collective_executor.cc:252] "
      "BaseCollectiveExecutor::StartAbort "
      "UNAVAILABLE: Failed to send RPC to coordination service. Either the leader task was "
      "preempted/died/restarted\n"
      ":UNKNOWN:Error received from peer  {grpc_status:14, grpc_message:\"failed to connect to all "
      "addresses; last "
      "error: UNKNOWN: ipv4:127.0.0.1:30156: Failed to connect to remote host: Connection refused\"}\n");
  for (const model::Finding& finding : verdict.findings) EXPECT_TRUE(finding.title.starts_with("A guess: "));
}

TEST(Judge, AnExceptionOfTheScriptIsToldAsSuch) {
  const model::Finding finding = verdict_on(
      "step 16 loss 2.1\n[rank2]: Traceback (most recent call last):\n"
      "[rank2]:   File \"/home/me/train.py\", line 41, in main\n"
      "[rank2]:     raise ValueError(f\"sample {i} has no label\")\n"
      "[rank2]: ValueError: sample 17 has no label\n");
  EXPECT_EQ(finding.code, model::codes::kScriptException);
  EXPECT_GE(finding.confidence, 0.5);
  EXPECT_TRUE(model::is_fatal(finding.leaf));
}

TEST(Judge, TextWithoutAComplaintIsNotGuessedAbout) {
  for (const std::string_view text : {"hello\n", "ready\n", "Python 3.11.4\n", "rank 0 of 1 127.0.0.1\n"})
    EXPECT_TRUE(judged(text).findings.empty()) << text;
}

TEST(Judge, HealthyTextIsNotGuessedAbout) {
  EXPECT_TRUE(judged("starting\nall 4 workers ready\nfinished in 3 s\n").findings.empty());
  EXPECT_TRUE(judged("").findings.empty());
}

TEST(Judge, AFewLinesCutOutOfALogAreAskedAboutForAReason) {
  constexpr std::string_view kWaiting =
      "NAME             READY   STATUS    RESTARTS   AGE\n"
      "trainer-worker-0   0/1     Pending   0          14h\n";
  const LogVerdict verdict = judged(kWaiting);
  ASSERT_FALSE(verdict.findings.empty());
  EXPECT_TRUE(verdict.findings.front().title.starts_with("A guess: "));
  const std::string done = std::string(kWaiting) + "trainer-worker-0 finished after 14 h\n";
  EXPECT_TRUE(judged(done).findings.empty());
}

TEST(Judge, HarmlessComplaintsAreNotGuessedAbout) {
  EXPECT_TRUE(
      judged("epoch 1 done\nNET/IB : No device found.\nCould not load dynamic library 'libnvinfer.so.7'\n"
             "mean error 0.01\nall done\n")
          .findings.empty());
}

TEST(Judge, WhatALoggerCallsAWarningIsNotGuessedAbout) {
  EXPECT_TRUE(
      judged("W0000 00:00:1794781828.219579   27136 local_rendezvous.cc:412] Local rendezvous is aborting "
             "with status: ABORTED: Cleanup -6902374162927473890\n"
             "W0000 00:00:1794781829.100200   27136 pool.cc:88] Thread 3 aborted while idle\n")
          .findings.empty());
}

TEST(Judge, ComplaintsThatTheJobOutlivedAreNotGuessedAbout) {
  EXPECT_TRUE(judged("INFO connection attempt 1 failed, trying again\nstep 1 loss 2.4\nstep 2 loss 2.1\n")
                  .findings.empty());
}

TEST(Judge, SlowValidationIsNoFallingRate) {
  std::string text;
  for (int i = 0; i < 5; ++i) text += "Epoch 1: 10%|# | 10/100 [00:03<00:30, 3.00it/s] loss=2.3\n";
  for (int i = 0; i < 4; ++i) text += "Validation: 100%|##########| 10/10 [00:40<00:00, 0.25it/s]\n";
  EXPECT_TRUE(judged(text).findings.empty());
}

TEST(Judge, AnotherReleaseThanTheLogNamesDoesNotCount) {
  constexpr std::string_view kLine =
      "NCCL WARN Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 1000\n";
  EXPECT_EQ(verdict_on(std::string("NCCL version 2.18.1+cuda12.1\n").append(kLine)).code,
            "setup.duplicate_gpu");
  EXPECT_EQ(verdict_on(kLine).code, "setup.duplicate_gpu");
  EXPECT_NE(verdict_on(std::string("NCCL version 2.31.2+cuda13.0\n").append(kLine)).code,
            "setup.duplicate_gpu");
}

TEST(Judge, APrefixNobodyKnowsIsLearned) {
  std::string text;
  for (int step = 0; step < 12; ++step) {
    for (const char* rank : {"1", "0", "2"}) text += std::string("<proc ") + rank + "> step loss 2.1\n";
  }
  text += "<proc 2> RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n";
  EXPECT_EQ(verdict_on(text).root_ranks, std::vector{2});
  EXPECT_EQ(judged(text).job.ranks_seen, (std::vector{0, 1, 2}));
}

TEST(Judge, OfFilesWithTimesTheEarlierErrorIsTheCause) {
  const LogText logs[] = {
      {"a.log", "2024-11-02 10:00:09 RuntimeError: CUDA error: invalid device ordinal\n", 0},
      {"b.log",
       "2024-11-02 10:00:01 start\n2024-11-02 10:00:02 working\n2024-11-02 10:00:03 RuntimeError: The NVIDIA "
       "driver "
       "on your system is too old (found version 11040).\n",
       1}};
  ASSERT_FALSE(judge(built_in(), logs).findings.empty());
  EXPECT_EQ(judge(built_in(), logs).findings.front().evidence.front().file, "b.log");
}

TEST(Judge, TellsWhatTheLogSaysOfTheJob) {
  const model::JobSummary job = judged(
                                    "torchrun --nnodes=2 --nproc_per_node=4 train.py\n"
                                    "n1:7:8 [0] NCCL INFO Bootstrap : Using eth0\nn2:7:8 [0] NCCL INFO x\n"
                                    "[rank3]: step 1 loss 2\n")
                                    .job;
  EXPECT_EQ(job.framework, "pytorch");
  EXPECT_EQ(job.backend, "nccl");
  EXPECT_EQ(job.world_size, 8);
  EXPECT_EQ(job.hosts, 2);
  EXPECT_EQ(job.ranks_seen, std::vector{3});
}

TEST(Judge, WhatToCollectFitsTheLauncher) {
  const auto first_command = [](std::string text) {
    return judged(text + "\nMysteryError: frobnication failed\n").collect_next.at(0);
  };
  EXPECT_TRUE(first_command("[1,0]<stderr>:horovod worker up").starts_with("horovodrun "));
  EXPECT_TRUE(first_command("srun: launching").starts_with("srun "));
  EXPECT_TRUE(first_command("torchrun ChildFailedError").starts_with("torchrun "));
  EXPECT_TRUE(judged("srun: launching\nloss: 0.3\n").collect_next.empty());
}

TEST(Judge, ALossThatRisesForGoodIsSeen) {
  EXPECT_EQ(verdict_on(
                "step 1 loss: 3.2\nstep 2 loss: 3.1\nstep 3 loss: 7.9\nstep 4 loss: 9.9\nstep 5 loss: 10.4\n")
                .code,
            "converge.loss_rises");
}

TEST(Judge, ProcessesThatAlsoSitOnGpuZeroAreSeen) {
  EXPECT_EQ(verdict_on("|  0   N/A  N/A   20111      C   python  11021MiB |\n"
                       "|  0   N/A  N/A   20112      C   python    811MiB |\n"
                       "|  1   N/A  N/A   20112      C   python  10877MiB |\n")
                .code,
            "parallel.all_on_gpu_zero");
}

TEST(Judge, MoreDevicesThatEachDoMuchLess) {
  const auto on_eight = [](std::string_view rate) {
    return verdict_on("number of gpus: 1\n400 images/sec per gpu\nnumber of gpus: 8\n" + std::string(rate) +
                      " images/sec per gpu\n")
        .code;
  };
  EXPECT_EQ(on_eight("250"), "slow.scaling");
  EXPECT_NE(on_eight("330"), "slow.scaling");
}

TEST(Judge, ASetUpThatTrainingFollowsWasOvercome) {
  constexpr std::string_view kRefused =
      "[W1118 09:12:02.111222333 socket.cpp:697] [c10d] The client socket has failed to connect to "
      "[node0]:29500 (errno: 111 - Connection refused).\n";
  const std::string refused(kRefused);
  EXPECT_TRUE(judged(refused + "step 0 loss 3.2\nstep 10 loss 2.2\nTraining finished\n").findings.empty());
  EXPECT_TRUE(judged(refused + "step 0 loss 3.2\nstep 10 loss 2.2\n").findings.empty());
  EXPECT_FALSE(judged(refused).findings.empty());
  EXPECT_FALSE(judged(refused + "step 0 loss 3.2\nstep 10 loss 2.2\n" + refused).findings.empty());
  EXPECT_FALSE(judged(refused + "step 0 loss 3.2\nstep 10 loss 2.2\nTraceback (most recent call last):\n"
                                "  File \"train.py\", line 3, in <module>\nValueError: bad sample\n")
                   .findings.empty());
}

TEST(Judge, AnUntouchedGpuBesideAModeratelyBusyOneIsIdle) {
  EXPECT_EQ(verdict_on("| N/A  36C  P0  224W / 400W |  20672MiB / 40960MiB |     47%      Default |\n"
                       "| N/A  29C  P0   48W / 400W |      8MiB / 40960MiB |      0%      Default |\n")
                .code,
            "parallel.idle_gpu");
  EXPECT_NE(verdict_on("| N/A  36C  P0  224W / 400W |  20672MiB / 40960MiB |     47%      Default |\n"
                       "| N/A  29C  P0   48W / 400W |   4008MiB / 40960MiB |      0%      Default |\n")
                .code,
            "parallel.idle_gpu");
}

RC_GTEST_PROP(Judge, AnyBytesGiveEvidenceInsideTheLog, (const std::string& noise)) {
  const std::string text = noise + "CUDA out of memory" + noise;
  const auto lines = 1 + std::ranges::count(text, '\n');
  for (const model::Finding& finding : judged(text).findings) {
    RC_ASSERT(finding.confidence >= 0 && finding.confidence <= 1);
    for (const model::Evidence& evidence : finding.evidence) {
      RC_ASSERT(*evidence.line >= 1 && *evidence.line <= lines);
      RC_ASSERT(text.find(evidence.text) != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace lockstep::logs
