// Distributed jobs that run on this host without Lockstep: found by the variables that launchers give their
// ranks, and by scripts that start ranks themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/process/proc_files.h"

namespace lockstep::attach {

struct RankProcess {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;  // with the pid it names the process for ever
  std::optional<int> rank;        // empty: the script started it, and only its stack may tell
  std::string command;            // "python -u train.py"

  bool operator==(const RankProcess&) const = default;
};

struct RunningJob {
  std::string key;      // what its ranks have in common and other jobs have not; the same on every host
  std::string program;  // "train.py"
  std::optional<int> world_size;
  std::optional<int> local_size;     // ranks that should be on this host
  bool starts_ranks_itself = false;  // candidates: a stack decides whether they are ranks
  std::vector<RankProcess> ranks;    // by rank, then by start
};

struct Selection {
  std::optional<uid_t> owner;  // empty: everybody's
  std::optional<pid_t> pid;    // of a rank, of what a rank started, or of what started the ranks
};

// By the start of their first rank, the oldest first.
std::vector<RunningJob> find_jobs(const process::Roots& roots, const Selection& selection);

}  // namespace lockstep::attach
