// Which events of different ranks are the same collective.
//
// A collective is one communicator and one number in it. All members must come to it, so each is a Meeting
// with the events of those who came. Rings that wrapped, groups made lazily and ranks without a dump leave
// gaps; what a gap means is presence.h's question, not this one's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/job.h"

namespace lockstep::ranks {

// An event by where it lies: job.ranks[rank].events[event].
struct EventPlace {
  std::uint32_t rank = 0;  // index into Job::ranks, not the rank's number
  std::uint32_t event = 0;

  bool operator==(const EventPlace&) const = default;
};

struct Meeting {
  model::CommunicatorId communicator = model::CommunicatorId::kNone;
  std::uint64_t sequence = 0;
  // Ascending by rank, then in the order of issue. A rank stands here more than once when it coalesced.
  std::span<const EventPlace> arrivals;
};

class Alignment {
 public:
  Alignment() = default;
  Alignment(Alignment&&) = default;  // not copied: meetings point into it
  Alignment& operator=(Alignment&&) = default;

  // In the order of communicator, then number.
  std::span<const Meeting> meetings() const { return meetings_; }
  std::span<const Meeting> meetings_of(model::CommunicatorId communicator) const;

 private:
  friend Alignment align(const model::Job& job);

  std::vector<Meeting> meetings_;
  std::vector<EventPlace> places_;
  std::vector<std::size_t> first_meeting_;  // by communicator, and one behind the last
};

// Whether the event is a numbered collective: one that has a place in a meeting.
inline bool is_placed(const model::Event& event) {
  return event.kind == model::EventKind::kCollective && event.communicator != model::CommunicatorId::kNone &&
         event.sequence != model::kNoSequence;
}

// Linear in the number of events. `job` must be merged, and outlive the result.
Alignment align(const model::Job& job);

inline const model::Event& event_at(const model::Job& job, EventPlace place) {
  return job.ranks[place.rank].events[place.event];
}

// The meeting an event belongs to, for passes that walk the events of one rank after the other.

inline constexpr std::uint32_t kNoMeeting = std::numeric_limits<std::uint32_t>::max();

class MeetingFinder {
 public:
  MeetingFinder(const model::Job& job, const Alignment& alignment);

  // Index into Alignment::meetings(); kNoMeeting for what was not aligned.
  std::uint32_t find(const model::Event& event) const {
    const auto group = static_cast<std::size_t>(event.communicator);
    if (event.kind != model::EventKind::kCollective || group >= groups_.size()) return kNoMeeting;
    const Group& in = groups_[group];
    const std::uint64_t distance = event.sequence - in.lowest;
    if (!in.is_dense) return search(in, event.sequence);
    return distance < in.count ? in.first + static_cast<std::uint32_t>(distance) : kNoMeeting;
  }

 private:
  struct Group {
    std::uint64_t lowest = 0;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    bool is_dense = true;  // no number between the lowest and the highest is missing
  };
  std::uint32_t search(const Group& in, std::uint64_t sequence) const;

  std::vector<Group> groups_;  // by communicator
  std::span<const Meeting> meetings_;
};

}  // namespace lockstep::ranks
