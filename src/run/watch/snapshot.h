// A running job at one instant, as a person wants to see it: every rank, what it does, and for whom it waits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/finding.h"

namespace lockstep::watch {

enum class RankState : std::uint8_t {
  kStarting,       // its file is there, nothing was issued yet
  kComputing,      // in no collective
  kCommunicating,  // in a call to which all the others came, or of which that is not known
  kWaiting,        // in a call to which somebody has not come
  kLate,           // others wait for it
  kStopped,        // by a signal or a debugger
  kGone,           // its process ended without a word
  kEnded           // it said goodbye
};

struct RankView {
  int rank = 0;
  int restart = 0;
  std::string host;
  std::int64_t pid = 0;
  RankState state = RankState::kStarting;
  std::optional<int> exit_status;      // of one that ended
  std::string doing;                   // "all_reduce 204 in default_pg", "data_wait", or nothing
  std::optional<std::int64_t> for_ns;  // how long it has been doing that
  std::vector<int> waits_for;          // the ranks that did not come, ascending
  std::uint64_t steps = 0;             // finished ones; 0 where nothing tells of steps
  std::optional<double> steps_per_second;
  std::optional<double> communication_share;  // of the time, over the last seconds; 0 to 1
  std::optional<double> data_wait_share;
  std::optional<std::int64_t> lateness_ns;  // how long others usually wait for it in a collective
  std::uint64_t calls = 0;                  // issued since it began
};

struct Snapshot {
  std::string job;
  std::vector<std::string> command;
  std::string framework;
  std::string backend;
  std::optional<int> world_size;
  std::int64_t started_wall_ns = 0;
  std::int64_t taken_wall_ns = 0;
  bool is_over = false;
  std::vector<RankView> ranks;           // ascending; of each the newest restart
  std::vector<model::Finding> findings;  // what the watcher has found so far, most likely first
};

}  // namespace lockstep::watch
