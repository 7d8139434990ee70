#include "run/watch/meetings.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "model/collective.h"
#include "run/watch/thresholds.h"

namespace lockstep::watch {

namespace {

std::string identity_of(const LiveCommunicator& communicator,
                        const record::CommunicatorDefinition* definition) {
  std::string identity = communicator.name;
  if (definition == nullptr) return identity;
  for (const lockstep_rank_run& run : definition->members) {
    identity += fmt::format(" {}:{}:{}", run.first, run.step, run.count);
  }
  return identity;
}

}  // namespace

std::uint32_t Communicators::number_of(const record::Definitions& definitions, std::uint32_t id) {
  const record::CommunicatorDefinition* definition = definitions.communicator(id);
  LiveCommunicator communicator;
  communicator.name = definition == nullptr ? fmt::format("communicator {}", id)
                                            : std::string(definitions.string(definition->name));
  const auto [place, is_new] = by_identity_.try_emplace(identity_of(communicator, definition),
                                                        static_cast<std::uint32_t>(known_.size()));
  if (!is_new) return place->second;
  if (definition != nullptr) {
    communicator.description = definitions.string(definition->description);
    communicator.backend = definitions.string(definition->backend);
    communicator.members = definition->member_ranks();
    communicator.size = communicator.members.empty() ? definition->size : communicator.members.size();
  }
  known_.push_back(std::move(communicator));
  return place->second;
}

void WaitHistory::add(std::int64_t wait_ns) {
  if (newest_.size() < kMaxWaits) {
    newest_.push_back(wait_ns);
  } else {
    newest_[count_ % kMaxWaits] = wait_ns;
  }
  ++count_;
}

std::int64_t WaitHistory::longest_ns() const {
  return newest_.empty() ? 0 : *std::ranges::max_element(newest_);
}

void Meetings::arrive(int rank, const LiveCall& call, const LiveCommunicator& communicator) {
  if (is_point_to_point(call.operation) || communicator.size < 2) return;
  if (open_.size() >= kMaxOpenMeetings) open_.clear();
  const auto [place, is_new] =
      open_.try_emplace({.sequence = call.sequence, .communicator = call.communicator});
  Meeting& meeting = place->second;
  if (is_new) {
    meeting.signature = call.signature;
    meeting.arrivals.reserve(std::min(communicator.size, kMaxExpectedArrivals));
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
    if (!is_new) usual->second += kNewLatenessShare * (late - usual->second);
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
