// What the name of a file tells about the process that wrote it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

struct RankInName {
  std::optional<int> rank;        // global
  bool is_guess = false;          // the name ends with a number, but does not say that it is a rank
  std::optional<int> local_rank;  // torchrun's attempt_2/3/stdout.log
  std::optional<int> restart;
  std::string host;

  bool operator==(const RankInName&) const = default;
};

// From "nccl_trace_rank_3", "host-a_nccl_trace_rank_3", "rank3.pkl", "rank_3/dump.json", "dump_3.pickle.gz",
// "attempt_2/3/stdout.log", "rank_3.restart_2.python.txt" and the like. The name itself comes before the
// folders it lies in.
RankInName rank_in_name(const std::filesystem::path& path);

// For ranks that are known only by their number on one host. Takes the local rank for the global one, as it
// is on a job of one host, and says so in the job's limits.
void number_by_local_rank(const Source& source, model::Rank& rank, model::Job& job);

}  // namespace lockstep::readers
