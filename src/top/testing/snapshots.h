// Snapshots of jobs of any size, healthy and not.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "run/watch/snapshot.h"

namespace lockstep::top::testing {

inline constexpr std::int64_t kMs = 1'000'000;
inline constexpr std::int64_t kSecond = 1'000 * kMs;

// Eight ranks a host, all of them computing at 12.4 steps a second.
inline watch::Snapshot healthy_job(int ranks) {
  watch::Snapshot job;
  job.job = "llama-7b";
  job.framework = "pytorch";
  job.backend = "nccl";
  job.world_size = ranks;
  job.started_wall_ns = 1'700'000'000 * kSecond;
  job.taken_wall_ns = job.started_wall_ns + 4'325 * kSecond;
  for (int rank = 0; rank < ranks; ++rank) {
    watch::RankView view;
    view.rank = rank;
    view.host = fmt::format("node{:03}", rank / 8);
    view.pid = 4'000 + rank;
    view.state = watch::RankState::kComputing;
    view.for_ns = 12 * kMs;
    view.steps = 1'204;
    view.steps_per_second = 12.4;
    view.communication_share = 0.38;
    view.data_wait_share = 0.02;
    view.lateness_ns = 2 * kMs;
    view.calls = 10'231;
    job.ranks.push_back(view);
  }
  return job;
}

// Everyone is in all_reduce 204 for 3.2 s but `guilty`, which waits for data.
inline watch::Snapshot job_that_waits_for(int guilty, int ranks) {
  watch::Snapshot job = healthy_job(ranks);
  for (watch::RankView& view : job.ranks) {
    view.state = watch::RankState::kWaiting;
    view.doing = "all_reduce 204 in default_pg";
    view.for_ns = 3'200 * kMs;
    view.waits_for = {guilty};
    view.steps_per_second = 0;
  }
  watch::RankView& late = job.ranks[static_cast<std::size_t>(guilty)];
  late.state = watch::RankState::kLate;
  late.doing = "data_wait";
  late.for_ns = 3'300 * kMs;
  late.waits_for = {};
  return job;
}

inline model::Finding missing_rank(int guilty) {
  model::Finding finding;
  finding.leaf = model::Leaf::kPerfHang;
  finding.code = "desync.missing_rank";
  finding.confidence = 0.97;
  finding.root_ranks = {guilty};
  finding.title = fmt::format("Rank {} did not come to all_reduce 204", guilty);
  finding.explanation = "Everyone else waits in it.";
  return finding;
}

}  // namespace lockstep::top::testing
