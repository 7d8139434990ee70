#include "diagnose/ranks/habit.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

#include "diagnose/ranks/thresholds.h"

namespace lockstep::ranks {
namespace {

using Call = std::tuple<model::CommunicatorId, model::CollectiveId, model::NameId>;

Call call_of(const model::Event& event) {
  return {event.communicator, event.collective, event.name};
}

// The newest calls up to and without the event at `end`, the newest first.
std::vector<Call> calls_before(const model::RankHistory& history, std::size_t end) {
  std::vector<Call> calls;
  for (std::size_t at = end; at > 0 && calls.size() < kHabitCalls; --at) {
    const model::Event& event = history.events[at - 1];
    if (event.kind != model::EventKind::kActivity) calls.push_back(call_of(event));
  }
  return calls;
}

// For each position, how many calls from there on equal those from the beginning on (the Z function).
std::vector<std::size_t> lengths_of_repeats(const std::vector<Call>& calls) {
  std::vector<std::size_t> lengths(calls.size(), 0);
  std::size_t left = 0;
  std::size_t right = 0;
  for (std::size_t at = 1; at < calls.size(); ++at) {
    if (at < right) lengths[at] = std::min(right - at, lengths[at - left]);
    while (at + lengths[at] < calls.size() && calls[lengths[at]] == calls[at + lengths[at]]) ++lengths[at];
    if (at + lengths[at] > right) {
      left = at;
      right = at + lengths[at];
    }
  }
  return lengths;
}

// What followed the last time that the most had happened as it did now. `calls`: the newest first.
std::optional<Call> usually_next(const std::vector<Call>& calls) {
  const std::vector<std::size_t> lengths = lengths_of_repeats(calls);
  std::size_t best = 0;
  for (std::size_t at = 1; at < calls.size(); ++at) {
    if (lengths[at] >= kCallsOfAHabit && (best == 0 || lengths[at] > lengths[best])) best = at;
  }
  return best == 0 ? std::nullopt : std::optional(calls[best - 1]);
}

}  // namespace

std::optional<bool> follows_its_habit(const model::Job& job, EventPlace place) {
  const auto next = usually_next(calls_before(job.ranks[place.rank], place.event));
  if (!next) return std::nullopt;
  return *next == call_of(event_at(job, place));
}

bool would_call_next(const model::Job& job, EventPlace place, EventPlace other) {
  const auto next = usually_next(calls_before(job.ranks[place.rank], std::size_t{place.event} + 1));
  return next && *next == call_of(event_at(job, other));
}

}  // namespace lockstep::ranks
