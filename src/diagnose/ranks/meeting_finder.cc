#include "diagnose/ranks/meeting_finder.h"

#include <algorithm>

namespace lockstep::ranks {

MeetingFinder::MeetingFinder(const model::Job& job, const Alignment& alignment)
    : groups_(job.communicators.size()), meetings_(alignment.meetings()) {
  std::uint32_t first = 0;
  for (std::size_t at = 0; at < groups_.size(); ++at) {
    const std::span<const Meeting> meetings = alignment.meetings_of(static_cast<model::CommunicatorId>(at));
    if (meetings.empty()) continue;
    const auto count = static_cast<std::uint32_t>(meetings.size());
    groups_[at] = {.lowest = meetings.front().sequence,
                   .first = first,
                   .count = count,
                   .is_dense = meetings.back().sequence - meetings.front().sequence == count - 1};
    first += count;
  }
}

std::uint32_t MeetingFinder::search(const Group& in, std::uint64_t sequence) const {
  const auto begin = meetings_.begin() + in.first;
  const auto end = begin + in.count;
  const auto place = std::ranges::lower_bound(begin, end, sequence, {}, &Meeting::sequence);
  if (place == end || place->sequence != sequence) return kNoMeeting;
  return static_cast<std::uint32_t>(place - meetings_.begin());
}

}  // namespace lockstep::ranks
