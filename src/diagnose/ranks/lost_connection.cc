#include "diagnose/ranks/lost_connection.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "diagnose/ranks/failed_ranks.h"

namespace lockstep::ranks {
namespace {

bool tells_of_a_lost_connection(std::string_view message) {
  constexpr std::array<std::string_view, 4> kWords = {"closed by peer", "reset by peer",
                                                      "closed by remote peer", "Broken pipe"};
  return std::ranges::any_of(
      kWords, [&](std::string_view words) { return message.find(words) != std::string_view::npos; });
}

const model::Failure* first_failure_of_others(const model::Job& job, const model::RankHistory& history) {
  const model::Failure* first = nullptr;
  for (const model::RankHistory& other : job.ranks) {
    const model::Failure* failure = other.rank.number == history.rank.number ? nullptr : first_failure(other);
    if (failure == nullptr || failure->time_ns == model::kNoTime) continue;
    if (first == nullptr || failure->time_ns < first->time_ns) first = failure;
  }
  return first;
}

}  // namespace

bool is_first_missed_by_its_peers(const model::Job& job, const model::RankHistory& history) {
  if (history.rank.end != model::RankEnd::kUnknown || history.rank.liveness != model::Liveness::kUnknown)
    return false;
  const model::Failure* first = first_failure_of_others(job, history);
  return first != nullptr && tells_of_a_lost_connection(first->message);
}

bool only_lost_its_peers(const model::Job& job, const model::RankHistory& history) {
  const model::Failure* own = first_failure(history);
  if (own == nullptr || own->time_ns == model::kNoTime || !tells_of_a_lost_connection(own->message))
    return false;
  const model::Failure* first = first_failure_of_others(job, history);
  return first != nullptr && first->time_ns < own->time_ns;
}

}  // namespace lockstep::ranks
