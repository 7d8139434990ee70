// How many events are kept in memory over all ranks.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace lockstep::readers {

struct EventBudget {
  std::uint64_t most_events = 64'000'000;
};

// The most events one rank may keep so that all together keep to the budget: every rank with fewer keeps all
// of its own. It never rises when a rank is added, so what was cut for some of the ranks is never missed
// later.
std::uint64_t events_per_rank(EventBudget budget, std::vector<std::uint64_t> event_counts);

}  // namespace lockstep::readers
