#include "diagnose/ranks/hang/presence.h"

#include <algorithm>
#include <limits>
#include <span>

#include "diagnose/ranks/thresholds.h"

namespace lockstep::ranks {

using model::CommunicatorId;
using model::Event;
using model::RankHistory;

namespace {

// Whoever waits in a join issues nothing more before it ends, so it is among the last.
bool is_in_a_join(const model::Job& job, const RankHistory& history) {
  const std::size_t count = std::min(kLastEvents, history.events.size());
  return std::ranges::any_of(std::span(history.events).last(count), [&](const Event& event) {
    return is_placed(event) && model::is_unfinished(event) &&
           event.collective != model::CollectiveId::kNone &&
           job.collectives[event.collective].operation == model::Operation::kJoin;
  });
}

bool has_unfinished(const RankHistory& history) {
  return std::ranges::any_of(history.events, [](const Event& event) {
    return event.kind != model::EventKind::kActivity && model::is_unfinished(event);
  });
}

// What it left is whole, from when its groups or its process began: a call that is not in it was not made.
bool tells_that_nothing_was_issued(const RankHistory& history) {
  const bool is_from_the_start =
      history.lists_communicators || (history.rank.begun_ns && history.begins_at_start);
  return is_from_the_start && history.reaches_end && history.events_lost == 0;
}

}  // namespace

PresenceTable::PresenceTable(const model::Job& job) : job_(job), seen_(job.communicators.size()) {
  has_only_unfinished_ = std::ranges::any_of(job.ranks, [](const RankHistory& history) {
    return history.listing == model::Listing::kOnlyUnfinished;
  });
  for (const RankHistory& history : job.ranks) {
    if (is_in_a_join(job, history)) joined_.insert(history.rank.number);
    note_events(history);
    note_counters(history);
  }
}

void PresenceTable::note_events(const RankHistory& history) {
  std::unordered_map<CommunicatorId, Seen> seen;
  CommunicatorId current = CommunicatorId::kNone;
  Seen* of_current = nullptr;  // runs of one communicator are long
  for (const Event& event : history.events) {
    if (!is_placed(event)) continue;
    if (event.communicator != current) {
      current = event.communicator;
      of_current = &seen[current];
    }
    of_current->last = std::max(of_current->last.value_or(0), event.sequence);
    if (event.state == model::EventState::kCompleted) {
      of_current->finished = std::max(of_current->finished.value_or(0), event.sequence);
    } else if (model::is_unfinished(event)) {
      of_current->first_unfinished =
          std::min(of_current->first_unfinished.value_or(event.sequence), event.sequence);
    }
  }
  for (const auto& [communicator, one] : seen) {
    seen_[static_cast<std::size_t>(communicator)][history.rank.number] = one;
  }
}

void PresenceTable::note_counters(const RankHistory& history) {
  for (const model::Progress& progress : history.progress) {
    const bool counts_all = progress.operation == model::Operation::kUnknown;
    if (progress.communicator == CommunicatorId::kNone || !counts_all || !progress.issued) continue;
    Seen& one = seen_[static_cast<std::size_t>(progress.communicator)][history.rank.number];
    one.has_counter = true;
    if (*progress.issued < 0) continue;
    one.last = std::max(one.last.value_or(0), static_cast<std::uint64_t>(*progress.issued));
    if (!progress.completed || *progress.completed < 0) continue;
    one.finished = std::max(one.finished.value_or(0), static_cast<std::uint64_t>(*progress.completed));
  }
}

const PresenceTable::Seen* PresenceTable::seen(CommunicatorId communicator, int rank) const {
  const auto& of_communicator = seen_[static_cast<std::size_t>(communicator)];
  const auto found = of_communicator.find(rank);
  return found == of_communicator.end() ? nullptr : &found->second;
}

bool PresenceTable::has_evidence(int rank) const {
  const RankHistory* history = job_.find_rank(rank);
  return history != nullptr &&
         (!history->events.empty() || !history->progress.empty() || tells_that_nothing_was_issued(*history));
}

bool PresenceTable::leaves_out_finished(int rank) const {
  const RankHistory* history = job_.find_rank(rank);
  if (history == nullptr || history->listing == model::Listing::kAll) return false;
  return history->listing == model::Listing::kOnlyUnfinished || has_only_unfinished_;
}

std::optional<std::uint64_t> PresenceTable::last_finished(CommunicatorId communicator, int rank) const {
  const Seen* one = seen(communicator, rank);
  if (one == nullptr) return std::nullopt;
  const bool lists_a_later_one =
      leaves_out_finished(rank) && one->first_unfinished && *one->first_unfinished > 1;
  if (!lists_a_later_one) return one->finished;
  return std::max(one->finished.value_or(0), *one->first_unfinished - 1);
}

std::optional<std::uint64_t> PresenceTable::last_issued(CommunicatorId communicator, int rank) const {
  const Seen* one = seen(communicator, rank);
  return one == nullptr ? std::nullopt : one->last;
}

// A rank whose ring still holds something older than the first arrival of the others would still hold this
// collective, had it issued it.
bool PresenceTable::reaches_back_to(const RankHistory& history, const Meeting& meeting) const {
  if (history.events_lost > 0) return false;
  if (history.begins_at_start) return true;
  std::int64_t first_arrival = std::numeric_limits<std::int64_t>::max();
  for (const EventPlace place : meeting.arrivals) {
    const Event& event = event_at(job_, place);
    if (event.begin_ns != model::kNoTime) first_arrival = std::min(first_arrival, event.begin_ns);
  }
  const std::int64_t oldest_kept = history.events.empty() ? model::kNoTime : history.events.front().begin_ns;
  return oldest_kept != model::kNoTime && first_arrival != std::numeric_limits<std::int64_t>::max() &&
         oldest_kept < first_arrival;
}

Presence PresenceTable::of(const Meeting& meeting, int rank) const {
  const RankHistory* history = job_.find_rank(rank);
  if (history == nullptr || !has_evidence(rank)) return Presence::kNoEvidence;
  if (joined_.contains(rank)) return Presence::kArrived;
  const Seen* one = seen(meeting.communicator, rank);
  const bool has_issued = one != nullptr && one->last && *one->last >= meeting.sequence;
  const auto finished = last_finished(meeting.communicator, rank);
  const bool is_through = (finished && *finished >= meeting.sequence) || leaves_out_finished(rank);
  if (has_issued) return is_through ? Presence::kFinished : Presence::kArrived;
  if (one != nullptr && one->has_counter) return Presence::kNotArrived;
  if (!history->reaches_end) return Presence::kUnknown;
  // Not in a list of what is not finished: finished, or never issued. Whoever waits nowhere at all is not on
  // its way to a later call either.
  if (leaves_out_finished(rank)) return has_unfinished(*history) ? Presence::kUnknown : Presence::kNotArrived;
  if (one != nullptr && history->events_lost == 0) return Presence::kNotArrived;
  return reaches_back_to(*history, meeting) ? Presence::kNotArrived : Presence::kUnknown;
}

}  // namespace lockstep::ranks
