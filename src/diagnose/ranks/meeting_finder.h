// The meeting an event belongs to, for passes that walk the events of one rank after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "diagnose/ranks/align.h"

namespace lockstep::ranks {

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
