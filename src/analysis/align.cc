#include "analysis/align.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace lockstep::analysis {
namespace {

using model::CommunicatorId;
using model::Event;
using model::EventKind;
using model::Job;

// The numbers used in one communicator, mapped to 0, 1, 2 ... in ascending order. Numbers lie close together
// in practice, so an array finds them; a damaged file may hold any number, then a hash does.
class Numbering {
 public:
  void see(std::uint64_t number) {
    lowest_ = std::min(lowest_, number);
    highest_ = std::max(highest_, number);
    ++seen_;
  }

  void begin_marking() {
    is_dense_ = seen_ > 0 && highest_ - lowest_ <= 4 * seen_ + 1024;
    if (is_dense_) index_.assign(highest_ - lowest_ + 1, 0);
  }
  void mark(std::uint64_t number) {
    if (is_dense_) {
      index_[number - lowest_] = 1;
    } else {
      sparse_.emplace(number, 0);
    }
  }

  // Numbers in ascending order; afterwards index_of() answers.
  std::vector<std::uint64_t> finish() {
    std::vector<std::uint64_t> numbers;
    if (is_dense_) {
      for (std::size_t at = 0; at < index_.size(); ++at) {
        if (index_[at] == 0) continue;
        index_[at] = static_cast<std::uint32_t>(numbers.size());
        numbers.push_back(lowest_ + at);
      }
      return numbers;
    }
    numbers.reserve(sparse_.size());
    for (const auto& entry : sparse_) numbers.push_back(entry.first);
    std::ranges::sort(numbers);
    for (std::size_t at = 0; at < numbers.size(); ++at) sparse_[numbers[at]] = static_cast<std::uint32_t>(at);
    return numbers;
  }

  std::size_t index_of(std::uint64_t number) const {
    return is_dense_ ? index_[number - lowest_] : sparse_.at(number);
  }

 private:
  std::uint64_t lowest_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t highest_ = 0;
  std::uint64_t seen_ = 0;
  bool is_dense_ = false;
  std::vector<std::uint32_t> index_;
  std::unordered_map<std::uint64_t, std::uint32_t> sparse_;
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

bool is_placed(const Event& event) {
  return event.kind == EventKind::kCollective && event.communicator != CommunicatorId::kNone &&
         event.sequence != model::kNoSequence;
}

std::span<const Meeting> Alignment::meetings_of(CommunicatorId communicator) const {
  const auto index = static_cast<std::size_t>(communicator);
  if (index + 1 >= first_meeting_.size()) return {};
  return std::span(meetings_).subspan(first_meeting_[index],
                                      first_meeting_[index + 1] - first_meeting_[index]);
}

Alignment align(const Job& job) {
  std::vector<Numbering> numbering(job.communicators.size());
  const auto numbering_of = [&](const Event& event) -> Numbering& {
    return numbering[static_cast<std::size_t>(event.communicator)];
  };
  for_each_placed(job, [&](EventPlace, const Event& event) { numbering_of(event).see(event.sequence); });
  for (Numbering& one : numbering) one.begin_marking();
  for_each_placed(job, [&](EventPlace, const Event& event) { numbering_of(event).mark(event.sequence); });

  Alignment alignment;
  alignment.first_meeting_.push_back(0);
  for (std::size_t at = 0; at < numbering.size(); ++at) {
    for (const std::uint64_t number : numbering[at].finish()) {
      alignment.meetings_.push_back(
          {.communicator = static_cast<CommunicatorId>(at), .sequence = number, .arrivals = {}});
    }
    alignment.first_meeting_.push_back(alignment.meetings_.size());
  }

  const auto meeting_of = [&](const Event& event) {
    return alignment.first_meeting_[static_cast<std::size_t>(event.communicator)] +
           numbering_of(event).index_of(event.sequence);
  };
  std::vector<std::size_t> next(alignment.meetings_.size() + 1, 0);
  for_each_placed(job, [&](EventPlace, const Event& event) { ++next[meeting_of(event) + 1]; });
  for (std::size_t at = 1; at < next.size(); ++at) next[at] += next[at - 1];
  alignment.places_.resize(next.back());
  for (std::size_t at = 0; at < alignment.meetings_.size(); ++at) {
    alignment.meetings_[at].arrivals =
        std::span(alignment.places_).subspan(next[at], next[at + 1] - next[at]);
  }
  for_each_placed(job, [&](EventPlace place, const Event& event) {
    alignment.places_[next[meeting_of(event)]++] = place;
  });
  return alignment;
}

}  // namespace lockstep::analysis
