// Verdicts the tests of every format share, and their renderings compared with the files beside this one.
#pragma once

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "base/file.h"
#include "model/finding.h"

namespace lockstep::report {

// Eight ranks over NCCL; rank 3 left the loop early because its share of the data was smaller.
inline model::Verdict missing_rank_verdict() {
  using model::EvidenceLevel;
  model::Finding finding{
      .leaf = model::Leaf::kPerfHang,
      .code = "desync.missing_rank",
      .scope = model::Scope::kDistributed,
      .confidence = 0.97,
      .root_ranks = {3},
      .victim_ranks = {0, 1, 2, 4, 5, 6, 7},
      .title = "Rank 3 left the training loop while the other ranks waited in all_reduce",
      .explanation =
          "Rank 3 finished epoch 1 after 311 batches and went on to save a checkpoint. The other seven ranks "
          "had 312 batches and started one more all_reduce, number 4127 of the default group, which rank 3 "
          "never joined. After 600 s the watchdog of rank 0 gave up and ended the job.\n"
          "The data set has 9981 samples; divided by 8 ranks and batches of 4 it leaves one rank a batch "
          "short.",
      .evidence =
          {{"logs/rank3.log", 1202, 3, "INFO epoch 1 done: 311 batches in 184.2 s", EvidenceLevel::kSeen},
           {"logs/rank0.log", 1340, 0,
            "[rank0]:[E ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: "
            "WorkNCCL(SeqNum=4127, OpType=ALLREDUCE, NumelIn=25557032, NumelOut=25557032, "
            "Timeout(ms)=600000) ran for 600026 milliseconds before timing out.",
            EvidenceLevel::kSeen},
           {"dumps", std::nullopt, std::nullopt,
            "ranks 0-2 and 4-7 wait in collective 4127; the last one of rank 3 is 4126",
            EvidenceLevel::kInferred},
           {"dumps/nccl_trace_rank_3", std::nullopt, 3, "no such dump", EvidenceLevel::kAbsence}},
      .fixes = {{.pattern = model::FixPattern::kBehaviorLogic,
                 .title = "Give every rank the same number of batches",
                 .steps = {"Pass drop_last=True to the DistributedSampler and to the DataLoader.",
                           "Or wrap the loop in model.join(), which lets a rank that is done shadow the "
                           "collectives of the others."},
                 .commands = {}},
                {.pattern = model::FixPattern::kDistributedApiUsage,
                 .title = "Save the checkpoint after a barrier all ranks reach",
                 .steps = {"Confirm first which ranks run short of data."},
                 .commands = {"lockstep run --on-hang=stacks -- torchrun --nproc_per_node=8 train.py "
                              "--epochs 2 --check-batches"}}},
      .places = {{.file = "train.py", .line = 88, .function = "main", .ranks = {3}},
                 {.file = "train.py", .line = 71, .function = "step", .ranks = {0, 1, 2, 4, 5, 6, 7}}}};
  return {.job = {.framework = "pytorch",
                  .backend = "nccl",
                  .world_size = 8,
                  .hosts = 1,
                  .ranks_seen = {0, 1, 2, 3, 4, 5, 6, 7}},
          .findings = {std::move(finding)},
          .limits = {"rank 3 left no flight recorder dump", "clocks of the ranks were not compared"}};
}

inline model::Verdict nothing_wrong_verdict() {
  return {.job = {.framework = "horovod",
                  .backend = "gloo",
                  .world_size = 4,
                  .hosts = 2,
                  .ranks_seen = {0, 1, 3}},
          .findings = {},
          .limits = {"nothing was left by rank 2"}};
}

// Every string tries to act on a terminal, on a Markdown page or on a parser.
inline model::Verdict hostile_verdict() {
  const std::string attack =
      "\x1b[2J\x1b]0;owned\x07 \xC2\x9B"
      "31m \xE2\x80\xAE \xFF\xFE\r\n"
      "```\n</details><script>alert(1)</script> [go](https://evil.example) ![i](http://evil.example/i.png)\n"
      "/close @everyone #1 www.evil.example ``` `x` *b* _i_ | cell |";
  const model::Evidence evidence{attack, 7, 1, attack, model::EvidenceLevel::kSeen};
  const model::Fix fix{model::FixPattern::kOther, attack, {attack}, {attack}};
  model::Finding finding{.leaf = model::Leaf::kRunOther,
                         .code = attack,
                         .scope = model::Scope::kUnknown,
                         .confidence = 0.4,
                         .root_ranks = {},
                         .victim_ranks = {1},
                         .title = attack,
                         .explanation = attack,
                         .evidence = {evidence},
                         .fixes = {fix},
                         .places = {{.file = attack, .line = 7, .function = attack, .ranks = {1}}}};
  return {.job = {.framework = attack, .backend = attack, .world_size = {}, .hosts = {}, .ranks_seen = {}},
          .findings = {std::move(finding)},
          .limits = {attack}};
}

inline constexpr std::size_t kLargestGolden = 1 << 20;

inline void expect_golden(const std::string& name, const std::string& actual) {
  const std::string expected_path = std::string(LOCKSTEP_REPORT_TESTDATA) + "/" + name;
  if (std::getenv("LOCKSTEP_UPDATE_EXPECTED") != nullptr) {
    ASSERT_TRUE(base::write_file(expected_path, actual).ok());
  }
  const auto expected = base::read_file(expected_path, kLargestGolden);
  ASSERT_TRUE(expected.ok()) << expected_path << ": " << expected.error().why;
  if (expected.value() == actual) return;

  const std::string actual_path = testing::TempDir() + "actual_" + name;
  ASSERT_TRUE(base::write_file(actual_path, actual).ok());
  ADD_FAILURE() << "the output changed; see\n  diff -u " << expected_path << " " << actual_path;
}

}  // namespace lockstep::report
