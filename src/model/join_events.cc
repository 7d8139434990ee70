#include "model/join_events.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace lockstep::model {
namespace {

// What makes two events of one rank the same: for numbered collectives the number (and which of several
// coalesced ones it is), for the rest the very call.
struct Identity {
  EventKind kind;
  CommunicatorId communicator;
  std::uint64_t sequence;
  std::uint64_t which;
  CollectiveId collective;
  std::int64_t begin_ns;

  auto operator<=>(const Identity&) const = default;
};

std::vector<Identity> identities_of(const std::vector<Event>& events) {
  std::vector<Identity> identities;
  identities.reserve(events.size());
  std::map<std::pair<CommunicatorId, std::uint64_t>, std::uint64_t> times_seen;
  for (const Event& event : events) {
    const bool is_numbered = event.kind == EventKind::kCollective && event.sequence != kNoSequence;
    identities.push_back({.kind = event.kind,
                          .communicator = event.communicator,
                          .sequence = event.sequence,
                          .which = is_numbered ? times_seen[{event.communicator, event.sequence}]++ : 0,
                          .collective = is_numbered ? CollectiveId::kNone : event.collective,
                          .begin_ns = is_numbered ? kNoTime : event.begin_ns});
  }
  return identities;
}

template <typename Id>
void keep_known(Id& to, Id from, Id unknown) {
  if (to == unknown) to = from;
}

void join(Event& to, const Event& from) {
  to.state = std::max(to.state, from.state);
  keep_known(to.collective, from.collective, CollectiveId::kNone);
  keep_known(to.name, from.name, NameId::kNone);
  keep_known(to.stack, from.stack, StackId::kNone);
  keep_known(to.checksums, from.checksums, ChecksumsId::kNone);
  if (to.begin_ns == kNoTime || to.only_duration) {
    if (from.begin_ns != kNoTime) {
      to.begin_ns = from.begin_ns;
      to.only_duration = from.only_duration;
      to.end_ns = from.end_ns;
    }
  }
  keep_known(to.end_ns, from.end_ns, kNoTime);
}

}  // namespace

std::vector<Event> join_events(std::vector<Event> left, std::vector<Event> right) {
  if (left.empty()) return right;
  std::map<Identity, std::size_t> place_of;
  const std::vector<Identity> left_identities = identities_of(left);
  for (std::size_t at = 0; at < left.size(); ++at) place_of.emplace(left_identities[at], at);
  const std::vector<Identity> right_identities = identities_of(right);
  for (std::size_t at = 0; at < right.size(); ++at) {
    const auto found = place_of.find(right_identities[at]);
    if (found == place_of.end()) {
      left.push_back(right[at]);
    } else {
      join(left[found->second], right[at]);
    }
  }
  const bool all_have_time = std::ranges::none_of(
      left, [](const Event& event) { return event.begin_ns == kNoTime || event.only_duration; });
  if (all_have_time) std::ranges::stable_sort(left, {}, &Event::begin_ns);
  return left;
}

}  // namespace lockstep::model
