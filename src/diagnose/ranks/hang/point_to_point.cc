#include "diagnose/ranks/hang/point_to_point.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace lockstep::ranks {
namespace {

using model::Collective;
using model::CommunicatorId;
using model::Event;
using model::EventKind;
using model::Job;
using model::Operation;
using model::RankHistory;

struct Way {
  CommunicatorId communicator;
  int sender;
  int receiver;

  bool operator==(const Way&) const = default;
  auto operator<=>(const Way&) const = default;
};

struct WayHash {
  std::size_t operator()(const Way& way) const {
    std::size_t hash = static_cast<std::size_t>(way.communicator);
    hash = hash * 0x9E3779B97F4A7C15U + static_cast<std::size_t>(way.sender);
    return hash * 0x9E3779B97F4A7C15U + static_cast<std::size_t>(way.receiver);
  }
};

struct Messages {
  std::vector<EventPlace> sends;
  std::vector<EventPlace> receives;
};

using Traffic = std::map<Way, Messages>;  // ordered: the result must not depend on hashing

int global_rank(const Job& job, CommunicatorId communicator, int rank_in_it) {
  if (communicator == CommunicatorId::kNone) return rank_in_it;
  const model::Communicator& one = job.communicators[communicator];
  const std::vector<int>& members = one.members;
  const bool knows_all = one.size && static_cast<std::size_t>(*one.size) == members.size();
  const bool is_known = knows_all && rank_in_it >= 0 && static_cast<std::size_t>(rank_in_it) < members.size();
  return is_known ? members[static_cast<std::size_t>(rank_in_it)] : rank_in_it;
}

Traffic collect(const Job& job) {
  std::unordered_map<Way, Messages, WayHash> found;
  for (std::uint32_t rank = 0; rank < job.ranks.size(); ++rank) {
    const RankHistory& history = job.ranks[rank];
    for (std::uint32_t at = 0; at < history.events.size(); ++at) {
      const Event& event = history.events[at];
      if (event.kind != EventKind::kPointToPoint || event.collective == model::CollectiveId::kNone) continue;
      const Collective& call = job.collectives[event.collective];
      if (!call.peer) continue;
      const int peer = global_rank(job, event.communicator, *call.peer);
      const int self = history.rank.number;
      if (call.operation == Operation::kSend) {
        found[{event.communicator, self, peer}].sends.push_back({.rank = rank, .event = at});
      } else if (call.operation == Operation::kReceive) {
        found[{event.communicator, peer, self}].receives.push_back({.rank = rank, .event = at});
      }
    }
  }
  return {std::make_move_iterator(found.begin()), std::make_move_iterator(found.end())};
}

bool is_whole(const Job& job, int rank) {
  const RankHistory* history = job.find_rank(rank);
  return history == nullptr ||
         (history->begins_at_start && history->events_lost == 0 && history->listing == model::Listing::kAll);
}

// One end of each message under its number, where numbers are known.
using Numbered = std::map<std::uint64_t, EventPlace>;

std::optional<Numbered> numbered(const Job& job, const std::vector<EventPlace>& places,
                                 bool is_whole_history) {
  Numbered result;
  for (std::size_t at = 0; at < places.size(); ++at) {
    const std::uint64_t sequence = event_at(job, places[at]).sequence;
    const bool has_number = sequence != model::kNoSequence;
    if (!has_number && !is_whole_history) return std::nullopt;
    result.emplace(has_number ? sequence : at + 1, places[at]);
  }
  return result;
}

Numbered pending_only(const Job& job, const std::vector<EventPlace>& places) {
  Numbered result;
  for (const EventPlace place : places) {
    if (model::is_unfinished(event_at(job, place))) result.emplace(result.size() + 1, place);
  }
  return result;
}

bool do_agree(const Job& job, EventPlace send, EventPlace receive) {
  const Collective& sent = job.collectives[event_at(job, send).collective];
  const Collective& received = job.collectives[event_at(job, receive).collective];
  const auto& received_shapes =
      received.output_shapes.empty() ? received.input_shapes : received.output_shapes;
  const auto& received_types = received.output_types.empty() ? received.input_types : received.output_types;
  if (sent.input_shapes.empty() || received_shapes.empty()) return true;
  return model::element_count(sent.input_shapes) == model::element_count(received_shapes) &&
         (sent.input_types.empty() || received_types.empty() || sent.input_types == received_types);
}

class Matching {
 public:
  Matching(const Job& job, const PresenceTable& presence) : job_(job), presence_(presence) {}

  void add(const Way& way, const Messages& messages) {
    std::optional<Numbered> sends = numbered(job_, messages.sends, is_whole(job_, way.sender));
    std::optional<Numbered> receives = numbered(job_, messages.receives, is_whole(job_, way.receiver));
    // Numbers are only worth something when both ends have them.
    const bool knows_numbers = sends && receives;
    const bool is_on_a_device = runs_on_a_device(job_, way.communicator);
    if (!knows_numbers) {
      sends = pending_only(job_, messages.sends);
      receives = pending_only(job_, messages.receives);
      if (is_on_a_device && add_finished_by_the_other_end(way, *sends, *receives)) return;
    }
    compare_ends(way, *sends, *receives, knows_numbers);
    add_oldest_unmatched(way, WaitKind::kSend, *sends, *receives);
    add_oldest_unmatched(way, WaitKind::kReceive, *receives, *sends);
    if (is_on_a_device) add_oldest_stuck(way, *sends, *receives);
  }

  PointToPoint take() { return std::move(result_); }

 private:
  void compare_ends(const Way& way, const Numbered& sends, const Numbered& receives, bool knows_numbers) {
    for (const auto& [number, send] : sends) {
      const auto receive = receives.find(number);
      if (receive == receives.end() || do_agree(job_, send, receive->second)) continue;
      result_.mismatches.push_back({.communicator = way.communicator,
                                    .sender = way.sender,
                                    .receiver = way.receiver,
                                    .number = knows_numbers ? number : 0,
                                    .send = send,
                                    .receive = receive->second});
      return;
    }
  }

  void add_oldest_unmatched(const Way& way, WaitKind kind, const Numbered& own, const Numbered& others) {
    for (const auto& [number, place] : own) {
      if (!model::is_unfinished(event_at(job_, place)) || others.contains(number)) continue;
      const int partner = kind == WaitKind::kSend ? way.receiver : way.sender;
      Wait wait;
      wait.kind = kind;
      wait.communicator = way.communicator;
      wait.sequence = number;
      wait.waiting = {place};
      (presence_.has_evidence(partner) ? wait.absent : wait.silent).push_back(partner);
      result_.waits.push_back(std::move(wait));
      return;
    }
  }

  // One end has more pending messages than the other, which has posted all of its own where it has issued a
  // collective that the first issued after them: then it has finished the oldest. The same where equally many
  // fit only when the oldest of one end is left out.
  bool add_finished_by_the_other_end(const Way& way, const Numbered& sends, const Numbered& receives) {
    bool are_sends = sends.size() > receives.size();
    if (sends.size() == receives.size()) {
      if (sends.empty() || fit(sends, receives, 0, 0)) return false;
      are_sends = fit(sends, receives, 1, 0);
      if (are_sends == fit(sends, receives, 0, 1)) return false;
    } else {
      const Numbered& more = are_sends ? sends : receives;
      if (!came_past(more.rbegin()->second, are_sends ? way.receiver : way.sender)) return false;
    }
    Wait wait;
    wait.kind = are_sends ? WaitKind::kSend : WaitKind::kReceive;
    wait.communicator = way.communicator;
    wait.sequence = 1;
    wait.waiting = {(are_sends ? sends : receives).begin()->second};
    wait.finished = {are_sends ? way.receiver : way.sender};
    const Numbered& fewer = are_sends ? receives : sends;
    if (!fewer.empty()) wait.behind = {fewer.begin()->second};
    result_.waits.push_back(std::move(wait));
    return true;
  }

  // Whether what is left after leaving out so many of each are messages that agree, as far as both ends go.
  bool fit(const Numbered& sends, const Numbered& receives, std::size_t sends_less,
           std::size_t receives_less) const {
    auto send = std::next(sends.begin(), static_cast<std::ptrdiff_t>(std::min(sends_less, sends.size())));
    auto receive =
        std::next(receives.begin(), static_cast<std::ptrdiff_t>(std::min(receives_less, receives.size())));
    if (send == sends.end() || receive == receives.end()) return false;
    for (; send != sends.end() && receive != receives.end(); ++send, ++receive) {
      if (!do_agree(job_, send->second, receive->second)) return false;
    }
    return true;
  }

  bool came_past(EventPlace place, int rank) const {
    const std::vector<Event>& events = job_.ranks[place.rank].events;
    return std::any_of(events.begin() + place.event + 1, events.end(), [&](const Event& event) {
      if (!is_placed(event)) return false;
      const auto last = presence_.last_issued(event.communicator, rank);
      return last && *last >= event.sequence;
    });
  }

  // Both ends are posted, and it does not end on one of them or on both.
  void add_oldest_stuck(const Way& way, const Numbered& sends, const Numbered& receives) {
    for (const auto& [number, send] : sends) {
      const auto receive = receives.find(number);
      if (receive == receives.end()) continue;
      Wait wait;
      for (const EventPlace end : {send, receive->second}) {
        const bool is_open = model::is_unfinished(event_at(job_, end));
        if (is_open && wait.waiting.empty()) wait.kind = end == send ? WaitKind::kSend : WaitKind::kReceive;
        if (is_open) {
          wait.waiting.push_back(end);
        } else {
          wait.finished.push_back(job_.ranks[end.rank].rank.number);
        }
      }
      if (wait.waiting.empty()) continue;
      std::ranges::sort(wait.waiting, {}, &EventPlace::rank);
      add_who_is_further(sends, receives, number, wait);
      wait.communicator = way.communicator;
      wait.sequence = number;
      result_.waits.push_back(std::move(wait));
      return;
    }
  }

  // The end that has finished this message waits in a later one.
  void add_who_is_further(const Numbered& sends, const Numbered& receives, std::uint64_t number,
                          Wait& wait) const {
    if (wait.finished.empty()) return;
    const Numbered& further = wait.kind == WaitKind::kSend ? receives : sends;
    const auto open = std::find_if(further.upper_bound(number), further.end(), [&](const auto& one) {
      return model::is_unfinished(event_at(job_, one.second));
    });
    if (open != further.end()) wait.behind = {open->second};
  }

  const Job& job_;
  const PresenceTable& presence_;
  PointToPoint result_;
};

}  // namespace

PointToPoint match_point_to_point(const Job& job, const PresenceTable& presence) {
  Matching matching(job, presence);
  for (const auto& [way, messages] : collect(job)) matching.add(way, messages);
  return matching.take();
}

}  // namespace lockstep::ranks
