#include "diagnose/ranks/hang/restarted.h"

#include <algorithm>

#include "diagnose/ranks/align.h"

namespace lockstep::ranks {
namespace {

const model::Event* first_in(const model::RankHistory& history, model::CommunicatorId communicator) {
  const auto found = std::ranges::find_if(history.events, [&](const model::Event& event) {
    return is_placed(event) && event.communicator == communicator && event.begin_ns != model::kNoTime;
  });
  return found == history.events.end() ? nullptr : &*found;
}

}  // namespace

bool was_restarted(const model::Job& job, model::CommunicatorId communicator, int rank) {
  const model::RankHistory* history = job.find_rank(rank);
  if (history == nullptr || !history->begins_at_start) return false;
  const model::Event* first = first_in(*history, communicator);
  if (first == nullptr) return false;
  constexpr std::uint64_t kClearlyLater = 10;  // ranks that only lag are this close
  return std::ranges::any_of(job.ranks, [&](const model::RankHistory& other) {
    return other.rank.number != rank && std::ranges::any_of(other.events, [&](const model::Event& event) {
             return is_placed(event) && event.communicator == communicator &&
                    event.begin_ns != model::kNoTime && event.begin_ns < first->begin_ns &&
                    event.sequence > first->sequence + kClearlyLater;
           });
  });
}

}  // namespace lockstep::ranks
