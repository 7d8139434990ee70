#include "readers/event_budget.h"

#include <algorithm>

namespace lockstep::readers {

std::uint64_t events_per_rank(EventBudget budget, std::vector<std::uint64_t> event_counts) {
  std::ranges::sort(event_counts);
  std::uint64_t left = budget.most_events;
  for (std::size_t rank = 0; rank < event_counts.size(); ++rank) {
    const std::uint64_t fair_share = left / (event_counts.size() - rank);
    if (event_counts[rank] > fair_share) return fair_share;
    left -= event_counts[rank];
  }
  return std::numeric_limits<std::uint64_t>::max();
}

}  // namespace lockstep::readers
