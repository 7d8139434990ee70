#include "diagnose/ranks/hang/wait.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>

#include "diagnose/ranks/signature.h"

namespace lockstep::ranks {
namespace {

using model::CommunicatorId;
using model::Event;
using model::EventState;
using model::Job;

bool is_completed(const Event& event) {
  return event.state == EventState::kCompleted;
}

bool needs_everyone(const Job& job, const Event& event) {
  return event.collective != model::CollectiveId::kNone &&
         is_synchronising(job.collectives[event.collective].operation);
}

// The last meeting that someone finished and nobody can finish alone: every member has come to it and to all
// before it.
std::size_t last_common(const Job& job, std::span<const Meeting> meetings) {
  for (std::size_t at = meetings.size(); at > 0; --at) {
    const bool is_common = std::ranges::any_of(meetings[at - 1].arrivals, [&](EventPlace place) {
      const Event& event = event_at(job, place);
      return is_completed(event) && needs_everyone(job, event);
    });
    if (is_common) return at;
  }
  return 0;
}

struct Open {
  const Meeting* meeting = nullptr;
  std::vector<EventPlace> waiting;
  std::vector<EventPlace> behind;
  bool everyone_came = false;
};

std::optional<Open> oldest_open(const Job& job, std::span<const Meeting> meetings) {
  const std::size_t common = last_common(job, meetings);
  std::optional<Open> oldest;
  std::unordered_set<std::uint32_t> finished_a_later_one;
  std::map<std::uint32_t, EventPlace> oldest_of_rank;
  for (std::size_t at = meetings.size(); at > 0 && at >= common; --at) {
    const Meeting& meeting = meetings[at - 1];
    Open open{.meeting = &meeting, .waiting = {}, .behind = {}, .everyone_came = at == common};
    for (const EventPlace place : meeting.arrivals) {
      const bool is_first_of_its_rank = open.waiting.empty() || open.waiting.back().rank != place.rank;
      if (model::is_unfinished(event_at(job, place)) && is_first_of_its_rank &&
          !finished_a_later_one.contains(place.rank)) {
        open.waiting.push_back(place);
      }
    }
    for (const EventPlace place : meeting.arrivals) {
      if (is_completed(event_at(job, place))) finished_a_later_one.insert(place.rank);
    }
    if (open.waiting.empty()) continue;
    for (const EventPlace place : open.waiting) oldest_of_rank[place.rank] = place;
    oldest = std::move(open);
  }
  if (!oldest) return std::nullopt;
  for (const EventPlace place : oldest->waiting) oldest_of_rank.erase(place.rank);
  for (const auto& [rank, place] : oldest_of_rank) oldest->behind.push_back(place);
  return oldest;
}

bool closes_a_region(const Job& job, const Event& event) {
  return event.collective != model::CollectiveId::kNone &&
         job.collectives[event.collective].operation == model::Operation::kCoalesced;
}

// Calls inside a coalescing region start when it is closed. Where some ranks closed theirs, one that has not
// is not there yet, whatever it has issued inside.
void move_open_regions(const Job& job, const Meeting& meeting, Wait& wait) {
  std::unordered_set<std::uint32_t> closed;
  for (const EventPlace place : meeting.arrivals) {
    if (closes_a_region(job, event_at(job, place))) closed.insert(place.rank);
  }
  if (closed.empty()) return;
  std::erase_if(wait.waiting, [&](EventPlace place) {
    if (closed.contains(place.rank)) return false;
    wait.absent.push_back(job.ranks[place.rank].rank.number);
    return true;
  });
}

void add_those_who_did_not_come(const Job& job, const PresenceTable& presence, const Meeting& meeting,
                                Wait& wait) {
  std::vector<int> came;
  for (const EventPlace place : meeting.arrivals) came.push_back(job.ranks[place.rank].rank.number);
  std::vector<int> members = job.communicators[wait.communicator].members;
  std::ranges::sort(members);
  for (const int rank : members) {
    if (std::ranges::binary_search(came, rank)) continue;
    switch (presence.of(meeting, rank)) {
      case Presence::kArrived:
        break;
      case Presence::kNotArrived:
        wait.absent.push_back(rank);
        break;
      case Presence::kNoEvidence:
        wait.silent.push_back(rank);
        break;
      case Presence::kUnknown:
        wait.unknown.push_back(rank);
        break;
    }
  }
}

void add_those_who_finished(const Job& job, const Meeting& meeting, Wait& wait) {
  for (const EventPlace place : meeting.arrivals) {
    if (std::ranges::binary_search(wait.waiting, place.rank, {}, &EventPlace::rank)) continue;
    const int rank = job.ranks[place.rank].rank.number;
    if (wait.finished.empty() || wait.finished.back() != rank) wait.finished.push_back(rank);
  }
}

}  // namespace

std::vector<Wait> find_collective_waits(const Job& job, const Alignment& alignment,
                                        const PresenceTable& presence) {
  std::vector<Wait> waits;
  for (std::size_t at = 0; at < job.communicators.size(); ++at) {
    const auto communicator = static_cast<CommunicatorId>(at);
    std::optional<Open> open = oldest_open(job, alignment.meetings_of(communicator));
    if (!open) continue;
    Wait wait;
    wait.communicator = communicator;
    wait.sequence = open->meeting->sequence;
    wait.waiting = std::move(open->waiting);
    wait.behind = std::move(open->behind);
    add_those_who_finished(job, *open->meeting, wait);
    if (!open->everyone_came) {
      move_open_regions(job, *open->meeting, wait);
      add_those_who_did_not_come(job, presence, *open->meeting, wait);
      std::ranges::sort(wait.absent);
    }
    waits.push_back(std::move(wait));
  }
  return waits;
}

}  // namespace lockstep::ranks
