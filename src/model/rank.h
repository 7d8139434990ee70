// One process of the job, and the host it ran on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::model {

struct Host {
  std::string name;
  // How far this host's wall clock is ahead of the job's reference clock, where it could be estimated.
  std::optional<std::int64_t> clock_ahead_ns;
};

enum class RankEnd : std::uint8_t {
  kUnknown,   // nothing says how it ended, or it has not ended
  kClean,     // it said goodbye
  kExited,    // exit status other than 0
  kSignalled  // killed by a signal
};

// Whether others could still reach it when the evidence was taken.
// Ascending by how sure it is that it does nothing any more.
enum class Liveness : std::uint8_t { kUnknown, kAlive, kUnresponsive, kStopped, kDead };

inline constexpr int kUnknownRank = -1;

struct Rank {
  int number = kUnknownRank;  // global rank
  std::optional<int> host;    // index into Job::hosts
  std::optional<int> local_rank;
  std::optional<std::int64_t> pid;
  int restart = 0;  // how often the launcher had restarted the job before this process
  RankEnd end = RankEnd::kUnknown;
  std::optional<int> exit_status;  // or the signal number
  Liveness liveness = Liveness::kUnknown;
  std::optional<std::int64_t> begun_ns;  // the process, by its host's wall clock
  std::optional<std::int64_t> ended_ns;
  std::string framework_version;
  std::string recorder_version;  // of the format its dump has, where dumps tell it
};

// "0-2, 4, 6-7", as people write ranks. `ranks` ascending and without repeats.
std::string compress_ranks(const std::vector<int>& ranks);

}  // namespace lockstep::model
