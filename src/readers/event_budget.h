// How many events are kept in memory over all ranks, and the parts of a job that were read so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "model/job.h"

namespace lockstep::readers {

struct EventBudget {
  std::uint64_t most_events = 64'000'000;
};

// The most events one rank may keep so that all together keep to the budget: every rank with fewer keeps all
// of its own. It never rises when a rank is added, so what was cut for some of the ranks is never missed
// later.
std::uint64_t events_per_rank(EventBudget budget, std::vector<std::uint64_t> event_counts);

// The parts read so far, within the budget of events.
class PartStore {
 public:
  PartStore(std::size_t files, EventBudget budget) : budget_(budget), parts_(files) {}

  // A file may give several parts.
  void put(std::size_t file, model::Job part);

  std::size_t files() const;  // that gave a part

  // In the order of the files, each rank cut to its last events where all together were too many.
  std::vector<model::Job> take();
  // What take() had to leave out, in words; empty when nothing.
  std::string limit() const;

 private:
  void keep_within_budget();

  EventBudget budget_;
  std::vector<std::vector<model::Job>> parts_;  // by file
  std::vector<std::uint64_t> event_counts_;     // of each rank of each part, as read
  std::uint64_t events_read_ = 0;
  std::uint64_t events_kept_ = 0;
  std::uint64_t most_per_rank_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace lockstep::readers
