#include "readers/event_budget.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

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

namespace {

void keep_last(model::RankHistory& history, std::uint64_t count) {
  if (history.events.size() <= count) return;
  history.events = std::vector<model::Event>(history.events.end() - static_cast<std::ptrdiff_t>(count),
                                             history.events.end());
  history.begins_at_start = false;
}

}  // namespace

void PartStore::put(std::size_t file, model::Job part) {
  for (const model::RankHistory& history : part.ranks) {
    event_counts_.push_back(history.events.size());
    events_read_ += history.events.size();
    events_kept_ += history.events.size();
  }
  parts_[file].push_back(std::move(part));
  // Cutting looks at every part, so it waits until there is something to gain.
  if (events_kept_ > budget_.most_events + budget_.most_events / 8) keep_within_budget();
}

std::size_t PartStore::files() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(parts_, [](const std::vector<model::Job>& of_file) { return !of_file.empty(); }));
}

void PartStore::keep_within_budget() {
  most_per_rank_ = events_per_rank(budget_, event_counts_);
  events_kept_ = 0;
  for (std::vector<model::Job>& of_file : parts_) {
    for (model::Job& part : of_file) {
      for (model::RankHistory& history : part.ranks) {
        keep_last(history, most_per_rank_);
        events_kept_ += history.events.size();
      }
    }
  }
}

std::vector<model::Job> PartStore::take() {
  keep_within_budget();
  std::vector<model::Job> parts;
  for (std::vector<model::Job>& of_file : parts_) std::ranges::move(of_file, std::back_inserter(parts));
  parts_.clear();
  return parts;
}

std::string PartStore::limit() const {
  if (events_kept_ == events_read_) return {};
  return fmt::format(
      "{} events are more than the {} that are kept: only the last {} of each rank are examined",
      events_read_, budget_.most_events, most_per_rank_);
}

}  // namespace lockstep::readers
