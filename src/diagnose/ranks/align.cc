#include "diagnose/ranks/align.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace lockstep::ranks {

namespace {

using model::CommunicatorId;
using model::Event;
using model::Job;

// How many events each number of one communicator has. Numbers lie close together in practice, so an array
// holds them; a damaged file may hold any number, then a map does.
class Numbers {
 public:
  void see(std::uint64_t number) {
    lowest_ = std::min(lowest_, number);
    highest_ = std::max(highest_, number);
    ++seen_;
  }

  void begin_counting() {
    is_dense_ = seen_ > 0 && highest_ - lowest_ <= 4 * seen_ + 1024;
    if (is_dense_) dense_.assign(highest_ - lowest_ + 1, 0);
  }
  std::size_t& at(std::uint64_t number) { return is_dense_ ? dense_[number - lowest_] : sparse_[number]; }

  // In ascending order of the numbers that occur.
  template <typename Visit>
  void for_each(Visit visit) {
    for (std::size_t index = 0; index < dense_.size(); ++index) {
      if (dense_[index] > 0) visit(lowest_ + index, dense_[index]);
    }
    for (auto& [number, count] : sparse_) visit(number, count);
  }

 private:
  std::uint64_t lowest_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t highest_ = 0;
  std::uint64_t seen_ = 0;
  bool is_dense_ = false;
  std::vector<std::size_t> dense_;
  std::map<std::uint64_t, std::size_t> sparse_;
};

template <typename Visit>
void for_each_placed(const Job& job, Visit visit) {
  for (std::uint32_t rank = 0; rank < job.ranks.size(); ++rank) {
    const std::vector<Event>& events = job.ranks[rank].events;
    for (std::uint32_t at = 0; at < events.size(); ++at) {
      if (is_placed(events[at])) visit(EventPlace{.rank = rank, .event = at}, events[at]);
    }
  }
}

}  // namespace

std::span<const Meeting> Alignment::meetings_of(CommunicatorId communicator) const {
  const auto index = static_cast<std::size_t>(communicator);
  if (index + 1 >= first_meeting_.size()) return {};
  return std::span(meetings_).subspan(first_meeting_[index],
                                      first_meeting_[index + 1] - first_meeting_[index]);
}

// Counts, lays out, then places: the counts of a meeting become the index of its next free place.
Alignment align(const Job& job) {
  std::vector<Numbers> numbers(job.communicators.size());
  const auto numbers_of = [&](const Event& event) -> Numbers& {
    return numbers[static_cast<std::size_t>(event.communicator)];
  };
  for_each_placed(job, [&](EventPlace, const Event& event) { numbers_of(event).see(event.sequence); });
  for (Numbers& one : numbers) one.begin_counting();
  for_each_placed(job, [&](EventPlace, const Event& event) { ++numbers_of(event).at(event.sequence); });

  Alignment alignment;
  std::vector<std::size_t> begins;
  std::size_t begin = 0;
  alignment.first_meeting_.push_back(0);
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    numbers[at].for_each([&](std::uint64_t number, std::size_t& count) {
      alignment.meetings_.push_back(
          {.communicator = static_cast<CommunicatorId>(at), .sequence = number, .arrivals = {}});
      begins.push_back(begin);
      begin += std::exchange(count, begin);
    });
    alignment.first_meeting_.push_back(alignment.meetings_.size());
  }
  begins.push_back(begin);
  alignment.places_.resize(begin);
  for (std::size_t at = 0; at < alignment.meetings_.size(); ++at) {
    alignment.meetings_[at].arrivals =
        std::span(alignment.places_).subspan(begins[at], begins[at + 1] - begins[at]);
  }
  for_each_placed(job, [&](EventPlace place, const Event& event) {
    alignment.places_[numbers_of(event).at(event.sequence)++] = place;
  });
  return alignment;
}

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
