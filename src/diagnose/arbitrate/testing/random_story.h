// Random stories in which every rule of the table may fire.
#pragma once

#include <rapidcheck.h>

#include "diagnose/arbitrate/testing/story_parts.h"

namespace lockstep::diagnose::testing {

struct Sort {
  model::Leaf leaf;
  const char* code;
};

inline model::Finding random_finding(const std::vector<Sort>& sorts) {
  const Sort sort = sorts[*rc::gen::inRange<std::size_t>(0, sorts.size())];
  model::Finding finding =
      found(sort.leaf, sort.code, *rc::gen::element(0.2, 0.45, 0.5, 0.6, 0.75, 0.9, 0.97),
            *rc::gen::element(std::vector<int>{}, std::vector<int>{0}, std::vector<int>{1},
                              std::vector<int>{0, 1}));
  if (*rc::gen::inRange(0, 3) == 0) finding.victim_ranks = {2};
  for (int lines = *rc::gen::inRange(0, 4); lines > 0; --lines) {
    const int rank = *rc::gen::inRange(-1, 2);
    const std::string file = *rc::gen::element<std::string>("job.err", "rank_0.lockstep", "rank_1.lockstep");
    finding = printed(std::move(finding), rank < 0 ? std::nullopt : std::optional(rank), file);
  }
  return finding;
}

inline std::vector<model::Finding> random_findings(const std::vector<Sort>& sorts) {
  std::vector<model::Finding> findings;
  for (int left = *rc::gen::inRange(0, 6); left > 0; --left) findings.push_back(random_finding(sorts));
  return findings;
}

inline Story random_story() {
  using model::Leaf;
  const std::vector<Sort> of_ranks = {
      {Leaf::kPerfHang, "desync.missing_rank"}, {Leaf::kRunComm, "desync.dead_rank"},
      {Leaf::kPerfHang, "desync.dead_rank"},    {Leaf::kRunComm, "desync.failed_rank"},
      {Leaf::kRunOther, "process.ended"},       {Leaf::kRunSegv, "process.ended"},
      {Leaf::kRunOther, "process.failed"},      {Leaf::kRunTensor, "mismatch.shape"},
      {Leaf::kPerfHang, "mismatch.operation"},  {Leaf::kSetupHang, "setup.rank_not_started"},
      {Leaf::kPerfSlow, "straggler.rank"},      {Leaf::kPerfSlow, "slow.rate_falls"}};
  const std::vector<Sort> of_logs = {{Leaf::kRunMem, "mem.killed"},
                                     {Leaf::kRunMem, "mem.gpu"},
                                     {Leaf::kRunSegv, "segv.signal"},
                                     {Leaf::kRunGraph, "graph.broken"},
                                     {Leaf::kRunTensor, "tensor.index"},
                                     {Leaf::kRunTensor, "leaf.run_tensor"},
                                     {Leaf::kRunComm, "comm.reset"},
                                     {Leaf::kPerfHang, "hang.horovod_stall"},
                                     {Leaf::kSetupFail, "setup.grpc_connect"},
                                     {Leaf::kPkgImport, "import.no_module"},
                                     {Leaf::kRunOther, "other.exception"},
                                     {Leaf::kRunOther, "wrapper.mpirun"},
                                     {Leaf::kPerfSlow, "slow.rate_falls"},
                                     {Leaf::kPerfOther, "sched.death_signal"}};
  Story story = story_of(random_findings(of_ranks), random_findings(of_logs));
  const auto rarely = [] { return *rc::gen::inRange(0, 5) == 0; };
  story.fate = {.exited_cleanly = rarely(), .had_met = rarely(), .was_overcome = rarely()};
  story.was_seen_live = rarely();
  if (rarely()) story.interruption = found(Leaf::kPerfOther, "sched.interrupted", 0.9);
  if (rarely()) story.world_size_one = found(Leaf::kPerfParallel, "parallel.world_of_one", 0.9);
  if (rarely()) story.silence = printed(found(Leaf::kPerfHang, "hang.silent", 0.45));
  return story;
}

}  // namespace lockstep::diagnose::testing
