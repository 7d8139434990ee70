#include "run/watch/meetings.h"

#include <algorithm>
#include <utility>

#include "model/point_to_point.h"

namespace lockstep::watch {
namespace {

constexpr std::size_t kMostOpen = 1 << 16;  // whoever never comes must not fill the memory
constexpr double kNewShare = 0.1;           // of the newest meeting in what is usual

}  // namespace

void WaitHistory::add(std::int64_t wait_ns) {
  if (newest_.size() < kKept) {
    newest_.push_back(wait_ns);
  } else {
    newest_[count_ % kKept] = wait_ns;
  }
  ++count_;
}

std::int64_t WaitHistory::longest_ns() const {
  return newest_.empty() ? 0 : *std::ranges::max_element(newest_);
}

void Meetings::arrive(int rank, const LiveCall& call, const LiveCommunicator& communicator) {
  if (is_point_to_point(call.operation) || communicator.size < 2) return;
  if (open_.size() >= kMostOpen) open_.clear();
  const auto [place, is_new] =
      open_.try_emplace({.sequence = call.sequence, .communicator = call.communicator});
  Meeting& meeting = place->second;
  if (is_new) {
    meeting.signature = call.signature;
    meeting.arrivals.reserve(communicator.size);
  }
  if (meeting.signature != call.signature) is_suspicious_ = true;
  if (call.is_repeated) return;
  meeting.arrivals.push_back({.rank = rank, .begin_ns = call.begin_ns});
  if (meeting.arrivals.size() < communicator.size) return;
  finish(meeting);
  open_.erase(place);
}

void Meetings::finish(const Meeting& meeting) {
  const auto [first, last] = std::ranges::minmax(meeting.arrivals, {}, &Arrival::begin_ns);
  waits_.add(last.begin_ns - first.begin_ns);
  for (const Arrival& arrival : meeting.arrivals) {
    const auto late = static_cast<double>(arrival.begin_ns - first.begin_ns);
    const auto [usual, is_new] = lateness_ns_.try_emplace(arrival.rank, late);
    if (!is_new) usual->second += kNewShare * (late - usual->second);
  }
}

std::int64_t Meetings::usual_lateness_ns(int rank) const {
  const auto found = lateness_ns_.find(rank);
  return found == lateness_ns_.end() ? 0 : static_cast<std::int64_t>(found->second);
}

bool Meetings::take_suspicion() {
  return std::exchange(is_suspicious_, false);
}

}  // namespace lockstep::watch
