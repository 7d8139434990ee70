#include "run/supervise/fault_evidence.h"

#include <algorithm>
#include <utility>

#include "run/evidence/collect.h"
#include "run/evidence/keep.h"

namespace lockstep::supervise {
namespace {

// Ranks whose processes are asked, so that collecting stays within seconds: those that began the fault
// matter, and two of those that wait show where the others are.
constexpr std::size_t kMaxRoots = 8;
constexpr std::size_t kMaxVictims = 2;

std::vector<std::filesystem::path> folders_of_interest(const std::filesystem::path& recording) {
  return {"/dev/shm", "/tmp", recording};
}

hostinfo::HostState facts_now(const std::filesystem::path& recording) {
  hostinfo::HostStateRequest request;
  request.folders = folders_of_interest(recording);
  return hostinfo::read_host_state(request);
}

void add(const watch::LiveJob& job, const std::vector<int>& ranks, std::size_t most,
         std::vector<evidence::Subject>& subjects) {
  for (std::size_t i = 0; i < std::min(ranks.size(), most); ++i) {
    const watch::LiveRank* rank = job.rank(ranks[i]);
    const bool is_there =
        rank != nullptr && rank->process().is_here() && !rank->is_gone() && !rank->has_ended();
    if (!is_there) continue;
    subjects.push_back(
        {.rank = ranks[i], .restart = rank->restart(), .pid = static_cast<pid_t>(rank->header().pid)});
  }
}

}  // namespace

FaultEvidence::FaultEvidence(std::filesystem::path recording, bool wants_native_stacks)
    : recording_(std::move(recording)),
      wants_native_stacks_(wants_native_stacks),
      at_begin_(facts_now(recording_)) {}

Result<void> FaultEvidence::collect(const watch::LiveJob& job, const model::Finding& finding) const {
  evidence::Request request;
  request.folders = folders_of_interest(recording_);
  request.host_at_begin = at_begin_;
  request.wants_native_stacks = wants_native_stacks_;
  add(job, finding.root_ranks, kMaxRoots, request.subjects);
  add(job, finding.victim_ranks, kMaxVictims, request.subjects);
  return evidence::keep(evidence::collect(request), recording_);
}

}  // namespace lockstep::supervise
