// One process of the job, the host it ran on, and everything the evidence tells about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/event.h"

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

// More than ten times the ranks of the largest jobs there are. What a file says beyond is damage.
inline constexpr int kMaxRanks = 1 << 20;

struct Rank {
  int number = kUnknownRank;  // global rank
  std::optional<int> host;    // index into Job::hosts
  std::optional<int> local_rank;
  std::optional<std::int64_t> pid;
  int restart = 0;  // how often the launcher had restarted the job before this process
  RankEnd end = RankEnd::kUnknown;
  std::optional<int> exit_status;  // or the signal number
  Liveness liveness = Liveness::kUnknown;
  bool launcher_saw_first = false;       // by its launcher's word it was the first to fail
  std::optional<std::int64_t> begun_ns;  // the process, by its host's wall clock
  std::optional<std::int64_t> ended_ns;
  std::optional<int> world_size;  // how many ranks it was told the job has
  std::string meeting_place;      // where it was told to look for the others, as its framework writes it
  std::string framework_version;
  std::string recorder_version;  // of the format its dump has, where dumps tell it
};

// "0-2, 4, 6-7", as people write ranks. `ranks` ascending and without repeats.
std::string compress_ranks(const std::vector<int>& ranks);

// "rank 3", "ranks 0-2, 4 and 6-7": for the start of a sentence or the middle. "no rank" when empty.
std::string ranks_in_words(const std::vector<int>& ranks);

// How far a rank got in a communicator by a counter that was kept apart from the events: a second witness
// where events were lost, the only one where none were recorded.
struct Progress {
  CommunicatorId communicator = CommunicatorId::kNone;
  Operation operation = Operation::kUnknown;  // the counter counts only this operation; unknown: all of them
  std::optional<std::int64_t> issued = {};    // the last number it issued, or how many
  std::optional<std::int64_t> started = {};
  std::optional<std::int64_t> completed = {};
  SourceId source = SourceId::kNone;
  std::uint32_t position = 0;
};

// Where one thread of the rank was when somebody looked.
struct StackSnapshot {
  std::string thread_name;
  StackId stack = StackId::kNone;
  bool is_main = false;
  bool holds_lock = false;  // the interpreter's lock
  std::int64_t time_ns = kNoTime;
  SourceId source = SourceId::kNone;
  std::uint32_t position = 0;
};

// An error the rank itself reported.
struct Failure {
  std::string message;  // "RuntimeError: ..."
  StackId stack = StackId::kNone;
  std::int64_t time_ns = kNoTime;
  SourceId source = SourceId::kNone;
  std::uint32_t position = 0;
};

// What the events of a rank are of all that it did since the first of them.
enum class Listing : std::uint8_t {
  kAll,             // but for those counted as lost
  kOnlyUnfinished,  // what was finished when the list was made was left out of it
  kUnclear          // one of the two: nothing in it tells which
};

struct RankHistory {
  Rank rank;
  std::vector<Event> events;  // in the order in which the rank issued them
  // False when earlier events were overwritten: then an event that is not here may still have happened.
  bool begins_at_start = true;
  // False when the input was cut: then later events may have happened.
  bool reaches_end = true;
  Listing listing = Listing::kAll;
  std::vector<std::uint32_t>
      left_out_behind;            // kOnlyUnfinished: events right behind which finished ones were left out
  std::uint64_t events_lost = 0;  // known to be lost since the first one that is here
  // The communicators this rank says it made. Meaningful only where it lists them at all.
  bool lists_communicators = false;
  std::vector<CommunicatorId> communicators;
  std::vector<Progress> progress;
  std::vector<StackSnapshot> snapshots;
  std::vector<Failure> failures;
  std::vector<SourceId> sources;  // the files that tell about this rank
};

}  // namespace lockstep::model
