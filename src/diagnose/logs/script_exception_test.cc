#include "diagnose/logs/script_exception.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "diagnose/logs/judge.h"

namespace lockstep::logs {
namespace {

using catalogue::Catalogue;

using model::Leaf;
using model::Scope;

LogVerdict judged(std::string_view text) {
  static const Catalogue catalogue = [] {
    auto loaded = Catalogue::load();
    CHECK(loaded.ok(), "the built-in catalogue loads");
    return std::move(loaded).value();
  }();
  const LogText log{"job.log", text, std::nullopt};
  return judge(catalogue, std::span(&log, 1));
}

model::Finding verdict_on(std::string_view text) {
  LogVerdict verdict = judged(text);
  return verdict.findings.empty() ? model::Finding() : std::move(verdict.findings.front());
}

// Rank 2 raises, the others lose it.
std::string job_with(std::string_view frame, std::string_view source, std::string_view exception) {
  return fmt::format(
      "[rank2]: Traceback (most recent call last):\n"
      "[rank2]:   File \"/home/me/train.py\", line 90, in <module>\n"
      "[rank2]:     main()\n"
      "[rank2]:   File {}\n"
      "[rank2]:     {}\n"
      "[rank2]: {}\n"
      "[rank0]: RuntimeError: [../gloo/transport/tcp/pair.cc:534] Connection closed by peer "
      "[10.0.0.4]:51311\n"
      "[rank1]: torch.distributed.DistBackendError: NCCL communicator was aborted on rank 1.\n",
      frame, source, exception);
}

TEST(ScriptException, TheRankThatRaisesIsTheRootAndTheOthersAreVictims) {
  const model::Finding finding = verdict_on(job_with("\"/home/me/train.py\", line 18, in step",
                                                     "raise ValueError(i)", "ValueError: bad sample 17"));
  EXPECT_EQ(finding.code, "script.exception");
  EXPECT_EQ(finding.leaf, Leaf::kRunOther);
  EXPECT_EQ(finding.scope, Scope::kOrdinary);
  EXPECT_EQ(finding.root_ranks, std::vector{2});
  EXPECT_EQ(finding.victim_ranks, (std::vector{0, 1}));
  EXPECT_EQ(finding.title, "The script raised an exception at train.py:18: ValueError: bad sample 17");
  ASSERT_EQ(finding.evidence.size(), 1U);
  EXPECT_EQ(finding.evidence.front().line, 6);
  EXPECT_EQ(finding.evidence.front().rank, 2);
  ASSERT_FALSE(finding.fixes.empty());
  EXPECT_EQ(finding.fixes.front().commands, std::vector<std::string>{"lockstep isolate -- COMMAND"});
}

TEST(ScriptException, ItsKindAndPlaceGiveTheLeaf) {
  constexpr std::string_view kStep = "\"/home/me/train.py\", line 18, in step";
  constexpr std::string_view kLoader = "\"/home/me/clips.py\", line 7, in __getitem__";
  const auto leaf = [&](std::string_view frame, std::string_view exception) {
    return verdict_on(job_with(frame, "check(x)", exception)).leaf;
  };
  EXPECT_EQ(leaf(kLoader, "ValueError: bad sample 17"), Leaf::kPrepData);
  EXPECT_EQ(leaf(kStep, "AttributeError: 'Config' object has no attribute 'warmup'"), Leaf::kRunAttr);
  EXPECT_EQ(leaf(kStep, "FileNotFoundError: [Errno 2] No such file or directory: 'a.txt'"), Leaf::kRunPath);
  EXPECT_EQ(leaf(kStep, "NotImplementedError: no routing for k > 2"), Leaf::kRunNotimpl);
  EXPECT_EQ(leaf(kStep, "ValueError: logits of shape (8, 3) where labels have (8, 4)"), Leaf::kRunTensor);
  EXPECT_EQ(leaf(kStep, "MemoryError"), Leaf::kRunMem);
  EXPECT_EQ(leaf(kStep, "my.errors.PlanEmpty: no phase is left"), Leaf::kRunOther);
}

TEST(ScriptException, EveryLaunchersPrefixWillDo) {
  for (const std::string_view prefix :
       {"[1,3]<stderr>:", "3: ", "[rank3]: ", "[default3]:", "[worker-3]: "}) {
    const std::string text = fmt::format(
        "{0}Traceback (most recent call last):\n"
        "{0}  File \"run.py\", line 8, in <module>\n"
        "{0}    raise ValueError(\"no phase 7\")\n"
        "{0}ValueError: no phase 7\n"
        "RuntimeError: Connection closed by peer\n",
        prefix);
    const model::Finding finding = verdict_on(text);
    EXPECT_EQ(finding.code, "script.exception") << prefix;
    EXPECT_EQ(finding.root_ranks, std::vector{3}) << prefix;
  }
}

TEST(ScriptException, AFrameworksOwnExceptionIsNotTheScripts) {
  EXPECT_NE(
      verdict_on(job_with("\"/venv/lib/python3.11/site-packages/torch/distributed/x.py\", line 18, in f",
                          "raise ValueError(i)", "ValueError: bad group 17"))
          .code,
      "script.exception");
}

TEST(ScriptException, NativeCodeCalledByTheScriptIsNotTheScripts) {
  constexpr std::string_view kStep = "\"/home/me/train.py\", line 18, in step";
  EXPECT_NE(verdict_on(job_with(kStep, "y = model(x)", "RuntimeError: unheard of")).code, "script.exception");
  EXPECT_EQ(verdict_on(job_with(kStep, "raise RuntimeError(text)", "RuntimeError: unheard of")).code,
            "script.exception");
}

TEST(ScriptException, WhatAnEntryKnowsOfTheLineStaysItsVerdict) {
  EXPECT_EQ(verdict_on(job_with("\"/home/me/train.py\", line 18, in step", "y = model(x)",
                                "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."))
                .leaf,
            Leaf::kRunMem);
}

TEST(ScriptException, WhatTheSameRankSawBeforeItIsTheCause) {
  const model::Finding finding = verdict_on(
      "[rank2]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2)\n"
      "[rank2]: Traceback (most recent call last):\n"
      "[rank2]:   File \"train.py\", line 8, in <module>\n"
      "[rank2]:     raise StepFailed(step)\n"
      "[rank2]: StepFailed: 17\n");
  EXPECT_EQ(finding.leaf, Leaf::kPerfHang);
}

TEST(ScriptException, ARankThatTrainsOnWasNotEndedByItUnlessItsLauncherSawItFail) {
  const std::string goes_on =
      "[rank2]: Traceback (most recent call last):\n"
      "[rank2]:   File \"train.py\", line 8, in log_metrics\n"
      "[rank2]:     raise TrackerAway(url)\n"
      "[rank2]: TrackerAway: no answer\n"
      "[rank2]: step 18 loss 0.31\n"
      "[rank2]: step 19 loss 0.30\n";
  EXPECT_NE(verdict_on(goes_on).code, "script.exception");
  const model::Finding finding = verdict_on(
      goes_on + "E1118 api.py:1002] failed (exitcode: 1) local_rank: 2 (pid: 28577) of binary: python\n");
  EXPECT_EQ(finding.code, "script.exception");
  EXPECT_EQ(finding.root_ranks, std::vector{2});
}

}  // namespace
}  // namespace lockstep::logs
