#include "diagnose/ranks/hang/skipped_collective.h"

#include <algorithm>

namespace lockstep::ranks {

using model::Event;
using model::EventState;

const SkippedCollective::Reached& SkippedCollective::reached(const model::RankHistory& history) {
  const auto [place, is_new] = reached_.try_emplace(history.rank.number);
  Reached& reached = place->second;
  if (!is_new) return reached;
  for (const Event& event : history.events) {
    if (event.state != EventState::kCompleted || event.sequence == model::kNoSequence) continue;
    if (is_placed(event)) {
      std::uint64_t& last = reached.completed[event.communicator];
      last = std::max(last, event.sequence);
    } else if (event.kind == model::EventKind::kActivity && event.activity == model::Activity::kStep) {
      reached.step = std::max(reached.step.value_or(0), event.sequence);
    }
  }
  return reached;
}

// Of each other communicator the first that a waiting rank issued after the call it waits in.
SkippedCollective::Numbers SkippedCollective::first_issued_later(const Wait& wait) const {
  Numbers first;
  for (const EventPlace place : wait.waiting) {
    const std::vector<Event>& events = job_.ranks[place.rank].events;
    for (std::size_t at = place.event + 1; at < events.size(); ++at) {
      if (!is_placed(events[at]) || events[at].communicator == wait.communicator) continue;
      const auto [known, is_new] = first.try_emplace(events[at].communicator, events[at].sequence);
      if (!is_new) known->second = std::min(known->second, events[at].sequence);
    }
  }
  return first;
}

// That one of those who wait has ended; none where they do not all tell.
std::optional<std::uint64_t> SkippedCollective::furthest_step(const Wait& wait) {
  std::optional<std::uint64_t> furthest;
  for (const EventPlace place : wait.waiting) {
    const auto step = reached(job_.ranks[place.rank]).step;
    if (!step) return std::nullopt;
    furthest = std::max(furthest.value_or(0), *step);
  }
  return furthest;
}

std::vector<int> SkippedCollective::of(const Wait& wait) {
  if (wait.kind != WaitKind::kCollective) return {};
  const Numbers later = first_issued_later(wait);
  const std::optional<std::uint64_t> step = furthest_step(wait);
  std::vector<int> ranks;
  for (const int rank : wait.absent) {
    const model::RankHistory* history = job_.find_rank(rank);
    if (history == nullptr) continue;
    const Reached& its = reached(*history);
    const bool ended_the_step = step && its.step && *its.step > *step;
    const bool completed_a_later_one = std::ranges::any_of(later, [&](const auto& first) {
      const auto last = its.completed.find(first.first);
      return last != its.completed.end() && last->second >= first.second;
    });
    if (ended_the_step || completed_a_later_one) ranks.push_back(rank);
  }
  return ranks;
}

}  // namespace lockstep::ranks
