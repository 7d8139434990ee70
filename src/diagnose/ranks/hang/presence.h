// What it means that a rank has no event for a collective.
//
// A dump holds the last events of a ring, and some dumps only those that are not finished. So a rank that is
// not among the arrivals of a meeting either never issued the collective, or issued it and the ring has since
// overwritten it, or has finished it, or left no dump at all: very different accusations. Collectives of one
// communicator are issued, and end, in the order of their numbers, which decides most cases; counters kept
// beside the ring decide others. A rank that is in a join comes to everything: that is what it says by
// joining.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "diagnose/ranks/align.h"
#include "model/job.h"

namespace lockstep::ranks {

enum class Presence : std::uint8_t {
  kArrived,     // issued it: seen, or seen to have issued a later one, or a counter says so
  kFinished,    // issued it and is through: a counter says so, or its list of what is not finished lacks it
  kNotArrived,  // its evidence reaches far enough and the collective is not in it
  kNoEvidence,  // the rank left nothing
  kUnknown      // its evidence does not reach far enough to tell
};

class PresenceTable {
 public:
  explicit PresenceTable(const model::Job& job);

  // For a rank that is not among the meeting's arrivals. `rank` is the rank's number.
  Presence of(const Meeting& meeting, int rank) const;

  // Whether the rank left any evidence of what it issued.
  bool has_evidence(int rank) const;

  // Whether what the rank finished is not among its events.
  bool leaves_out_finished(int rank) const;

  // The last number the rank is known to have finished in the communicator.
  std::optional<std::uint64_t> last_finished(model::CommunicatorId communicator, int rank) const;

  // The last number the rank is known to have issued in the communicator.
  std::optional<std::uint64_t> last_issued(model::CommunicatorId communicator, int rank) const;

 private:
  struct Seen {
    std::optional<std::uint64_t> last;
    std::optional<std::uint64_t> finished;
    std::optional<std::uint64_t> first_unfinished;
    bool has_counter = false;
  };

  const Seen* seen(model::CommunicatorId communicator, int rank) const;
  bool reaches_back_to(const model::RankHistory& history, const Meeting& meeting) const;

  const model::Job& job_;
  std::vector<std::unordered_map<int, Seen>> seen_;  // by communicator, then rank number
  std::unordered_set<int> joined_;
  bool has_only_unfinished_ = false;  // some list of the job is certainly of that kind

  void note_events(const model::RankHistory& history);
  void note_counters(const model::RankHistory& history);
};

}  // namespace lockstep::ranks
