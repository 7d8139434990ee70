#include "diagnose/ranks/hang/wait.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
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

// The last number that the rank is known to have finished by something else than an event that says so.
std::optional<std::uint64_t> finished_beside_events(const Job& job, CommunicatorId communicator, int rank,
                                                    const PresenceTable& presence) {
  if (presence.leaves_out_finished(rank)) return presence.last_finished(communicator, rank);
  const model::RankHistory* history = job.find_rank(rank);
  std::optional<std::uint64_t> highest;
  if (history == nullptr) return highest;
  for (const model::Progress& progress : history->progress) {
    const bool counts_all = progress.operation == model::Operation::kUnknown;
    if (progress.communicator != communicator || !counts_all || progress.completed.value_or(-1) < 0) continue;
    highest = std::max(highest.value_or(0), static_cast<std::uint64_t>(*progress.completed));
  }
  return highest;
}

// The last number that someone finished and nobody can finish alone: every member has come to it and to all
// before it. Where nobody still lists the call under a number, it was what all listed ones of its
// communicator are.
std::optional<std::uint64_t> last_common(const Job& job, std::span<const Meeting> meetings,
                                         const PresenceTable& presence) {
  std::optional<std::uint64_t> highest;
  for (std::size_t at = meetings.size(); at > 0 && !highest; --at) {
    const bool is_common = std::ranges::any_of(meetings[at - 1].arrivals, [&](EventPlace place) {
      const Event& event = event_at(job, place);
      return is_completed(event) && needs_everyone(job, event);
    });
    if (is_common) highest = meetings[at - 1].sequence;
  }
  const auto needs_all = [&](const Meeting& meeting) {
    return std::ranges::any_of(meeting.arrivals,
                               [&](EventPlace place) { return needs_everyone(job, event_at(job, place)); });
  };
  std::optional<bool> always_needs_all;
  const CommunicatorId communicator = meetings.front().communicator;
  for (const int rank : job.communicators[communicator].members) {
    const auto finished = finished_beside_events(job, communicator, rank, presence);
    if (!finished || (highest && *finished <= *highest)) continue;
    if (!always_needs_all) always_needs_all = std::ranges::all_of(meetings, needs_all);
    if (*always_needs_all) {
      highest = finished;
      continue;
    }
    auto at = std::ranges::upper_bound(meetings, *finished, {}, &Meeting::sequence);
    while (at != meetings.begin() && !needs_all(*(at - 1))) --at;
    if (at != meetings.begin()) highest = std::max(highest.value_or(0), (at - 1)->sequence);
  }
  return highest;
}

struct Open {
  const Meeting* meeting = nullptr;
  std::vector<EventPlace> waiting;
  std::vector<EventPlace> behind;
  bool everyone_came = false;
};

bool is_unfinished(const Job& job, EventPlace place, const PresenceTable& presence) {
  const Event& event = event_at(job, place);
  if (!model::is_unfinished(event)) return false;
  const auto finished =
      finished_beside_events(job, event.communicator, job.ranks[place.rank].rank.number, presence);
  return !finished || *finished < event.sequence;
}

std::optional<Open> oldest_open(const Job& job, std::span<const Meeting> meetings,
                                const PresenceTable& presence) {
  if (meetings.empty()) return std::nullopt;
  const std::optional<std::uint64_t> common = last_common(job, meetings, presence);
  std::optional<Open> oldest;
  std::unordered_set<std::uint32_t> finished_a_later_one;
  std::map<std::uint32_t, EventPlace> oldest_of_rank;
  for (std::size_t at = meetings.size(); at > 0; --at) {
    const Meeting& meeting = meetings[at - 1];
    if (common && meeting.sequence < *common) break;  // whoever began that one was through with all before it
    const bool everyone_came = common && meeting.sequence == *common;
    Open open{.meeting = &meeting, .waiting = {}, .behind = {}, .everyone_came = everyone_came};
    for (const EventPlace place : meeting.arrivals) {
      const bool is_first_of_its_rank = open.waiting.empty() || open.waiting.back().rank != place.rank;
      if (is_unfinished(job, place, presence) && is_first_of_its_rank &&
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
      case Presence::kFinished:
        wait.finished.push_back(rank);
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

// Of a meeting to which everyone came: whoever lists only what is not finished, and not this, is through.
void add_those_who_left_it_out(const Job& job, const PresenceTable& presence, const Meeting& meeting,
                               Wait& wait) {
  for (const int rank : job.communicators[wait.communicator].members) {
    const bool is_listed = std::ranges::any_of(
        meeting.arrivals, [&](EventPlace place) { return job.ranks[place.rank].rank.number == rank; });
    if (is_listed) continue;
    const bool is_through =
        presence.of(meeting, rank) == Presence::kFinished || presence.leaves_out_finished(rank);
    if (is_through) wait.finished.push_back(rank);
  }
}

// Whoever lists only what is not finished, and not this, finished it or never issued it. It has issued what
// the waiting ranks issued after it: so it came past this place.
void settle_by_later_calls(const Job& job, const PresenceTable& presence, Wait& wait) {
  if (std::ranges::none_of(wait.unknown, [&](int rank) { return presence.leaves_out_finished(rank); }))
    return;
  std::map<CommunicatorId, std::uint64_t> issued_later;
  for (const EventPlace place : wait.waiting) {
    const std::vector<Event>& events = job.ranks[place.rank].events;
    for (std::size_t at = place.event + 1; at < events.size(); ++at) {
      if (!is_placed(events[at]) || events[at].communicator == wait.communicator) continue;
      issued_later.try_emplace(events[at].communicator, events[at].sequence);
    }
  }
  std::vector<int> past;
  std::ranges::copy_if(wait.unknown, std::back_inserter(past), [&](int rank) {
    return presence.leaves_out_finished(rank) && std::ranges::any_of(issued_later, [&](const auto& one) {
             const auto last = presence.last_issued(one.first, rank);
             return last && *last >= one.second;
           });
  });
  // The fewer are the odd ones: still in it, or went past it without a call.
  if (past.size() == wait.waiting.size()) return;
  std::vector<int>& side = past.size() > wait.waiting.size() ? wait.finished : wait.absent;
  side.insert(side.end(), past.begin(), past.end());
  std::erase_if(wait.unknown, [&](int rank) { return std::ranges::find(past, rank) != past.end(); });
}

void add_those_who_finished(const Job& job, const Meeting& meeting, Wait& wait) {
  for (const EventPlace place : meeting.arrivals) {
    if (std::ranges::binary_search(wait.waiting, place.rank, {}, &EventPlace::rank)) continue;
    const int rank = job.ranks[place.rank].rank.number;
    if (wait.finished.empty() || wait.finished.back() != rank) wait.finished.push_back(rank);
  }
}

}  // namespace

bool runs_on_a_device(const Job& job, CommunicatorId communicator) {
  constexpr std::array<std::string_view, 5> kLibraries = {"nccl", "ncclx", "xccl", "hccl", "rccl"};
  return communicator != CommunicatorId::kNone &&
         std::ranges::find(kLibraries, job.communicators[communicator].backend) != kLibraries.end();
}

std::vector<Wait> find_collective_waits(const Job& job, const Alignment& alignment,
                                        const PresenceTable& presence) {
  std::vector<Wait> waits;
  for (std::size_t at = 0; at < job.communicators.size(); ++at) {
    const auto communicator = static_cast<CommunicatorId>(at);
    std::optional<Open> open = oldest_open(job, alignment.meetings_of(communicator), presence);
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
      settle_by_later_calls(job, presence, wait);
      std::ranges::sort(wait.absent);
    } else {
      add_those_who_left_it_out(job, presence, *open->meeting, wait);
    }
    std::ranges::sort(wait.finished);
    waits.push_back(std::move(wait));
  }
  return waits;
}

}  // namespace lockstep::ranks
