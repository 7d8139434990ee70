#include "readers/pytorch/flight_recorder_rank.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "readers/rank_in_name.h"

namespace lockstep::readers {
namespace {

using model::Event;
using model::EventKind;
using model::EventState;

constexpr std::int64_t kNoNumber = -1;
constexpr std::size_t kLongestRegion = 4096;
constexpr std::size_t kMostGaps = 1 << 16;

// These set the state of every entry, so one that was retired without being completed was given up. All
// others are judged by whether any of their entries has a state.
bool always_tracks_state(std::string_view backend) {
  constexpr std::array<std::string_view, 3> kTracking = {"nccl", "xccl", "hccl"};
  return std::ranges::find(kTracking, backend) != kTracking.end();
}

// Until the whole dump is read: "retired, and not said to be completed" is kFailed, which settle_events()
// turns into kCompleted where the backend never says completed.
EventState state_so_far(const FlightRecorderEntry& entry) {
  if (entry.state == EventState::kCompleted) return EventState::kCompleted;
  return entry.is_retired ? EventState::kFailed : entry.state;
}

std::int64_t end_of(const FlightRecorderEntry& entry) {
  if (entry.time_completed_ns > 0) return entry.time_completed_ns;
  constexpr double kLongestMs = 1e12;
  const bool has_duration =
      entry.duration_ms > 0 && entry.duration_ms < kLongestMs && entry.time_created_ns > 0;
  return has_duration ? entry.time_created_ns + static_cast<std::int64_t>(entry.duration_ms * 1e6)
                      : model::kNoTime;
}

}  // namespace

FlightRecorderRank::FlightRecorderRank(model::Job& job, const Source& source, std::size_t expected_entries)
    : job_(job), source_(source) {
  job_.framework = "pytorch";
  if (job_.sources.empty()) job_.sources.push_back(source.name);
  history_.sources.push_back(model::SourceId{0});
  history_.events.reserve(expected_entries);
}

std::uint32_t FlightRecorderRank::backend(const std::string& name) {
  const auto [place, is_new] =
      backend_numbers_.try_emplace(name, static_cast<std::uint32_t>(backends_.size()));
  if (is_new) {
    backends_.push_back(
        {.name = name, .events = 0, .tracks_state = always_tracks_state(name), .has_retired = false});
  }
  return place->second;
}

std::uint32_t FlightRecorderRank::name(std::string_view profiling_name) {
  const auto [place, is_new] =
      name_numbers_.try_emplace(std::string(profiling_name), static_cast<std::uint32_t>(names_.size()));
  if (is_new) {
    Name made{.parsed = parse_flight_recorder_name(profiling_name), .id = {}, .backend = 0};
    made.id = job_.names.intern(made.parsed.name);
    made.backend = backend(made.parsed.backend);
    names_.push_back(std::move(made));
  }
  return place->second;
}

std::uint32_t FlightRecorderRank::group(std::string_view group_name, std::string_view description,
                                        std::uint32_t name) {
  const std::uint32_t of_name = names_[name].backend;
  const std::uint32_t number = groups_.number_of(group_name, description, backends_[of_name].name);
  if (number == backend_of_group_.size()) {
    backend_of_group_.push_back(of_name);
    last_sequence_.push_back(kNoNumber);
    closes_batches_.push_back(false);
  }
  return number;
}

std::uint32_t FlightRecorderRank::thread(std::string_view id) {
  return threads_.try_emplace(std::string(id), static_cast<std::uint32_t>(threads_.size() + 1)).first->second;
}

model::CollectiveId FlightRecorderRank::collective(std::uint32_t name, model::Collective collective) {
  collective.operation = names_[name].parsed.operation;
  collective.peer = names_[name].parsed.peer;
  return job_.collectives.intern(collective);
}

void FlightRecorderRank::add_unreadable() {
  ++entries_;
  ++unreadable_;
}

void FlightRecorderRank::notice_gap(const FlightRecorderEntry& entry) {
  if (!entry.record_id) return;
  if (!last_record_id_) {
    history_.begins_at_start = *entry.record_id <= 0;
  } else if (*entry.record_id > *last_record_id_) {
    if (*entry.record_id > *last_record_id_ + 1 && gaps_.size() < kMostGaps) {
      gaps_.push_back(*last_record_id_);
      if (!history_.events.empty())
        gap_behind_.push_back(static_cast<std::uint32_t>(history_.events.size() - 1));
    }
    history_.events_lost +=
        static_cast<std::uint64_t>(*entry.record_id) - static_cast<std::uint64_t>(*last_record_id_) - 1;
  }
  last_record_id_ = entry.record_id;
}

void FlightRecorderRank::add(const FlightRecorderEntry& entry) {
  ++entries_;
  notice_gap(entry);
  const Name& name = names_[entry.name];
  Backend& of = backends_[name.backend];
  ++of.events;
  of.has_retired |= entry.is_retired;
  of.tracks_state |= entry.state != EventState::kIssued;
  lists_finished_ |= entry.state == EventState::kCompleted || entry.is_retired;

  Event event;
  event.state = state_so_far(entry);
  event.collective = entry.collective;
  event.name = name.id;
  event.stack = entry.stack;
  event.thread = entry.thread;
  event.begin_ns = entry.time_created_ns > 0 ? entry.time_created_ns : model::kNoTime;
  event.end_ns = end_of(entry);
  event.source = model::SourceId{0};
  event.position =
      static_cast<std::uint32_t>(std::min<std::size_t>(entries_, std::numeric_limits<std::uint32_t>::max()));
  event.communicator = static_cast<model::CommunicatorId>(entry.group);  // settle_events() makes it one

  const Region region = name.parsed.closes_region ? close_region(entry, event) : Region::kNone;
  // Its operations have its state now, and it is none of them.
  if (region == Region::kOfPointToPoint) {
    closes_batches_[entry.group] = true;
    return;
  }
  const bool is_point_to_point = name.parsed.is_point_to_point || entry.is_p2p.value_or(false);
  groups_.saw_entry(entry.group, entry.pg_id, is_point_to_point);
  const std::int64_t sequence = entry.collective_sequence.value_or(kNoNumber);
  if (is_point_to_point) {
    event.kind = EventKind::kPointToPoint;
    if (name.parsed.own) groups_.saw_own(entry.group, *name.parsed.own);
  } else {
    if (sequence >= 0) event.sequence = static_cast<std::uint64_t>(sequence);
    last_sequence_[entry.group] = sequence;
  }
  if (event.state == EventState::kIssued) {
    pending_.push_back({.event = history_.events.size(),
                        .group = entry.group,
                        .collective_sequence = sequence,
                        .p2p_sequence = entry.p2p_sequence.value_or(kNoNumber),
                        .record_id = entry.record_id.value_or(kNoNumber),
                        .is_point_to_point = is_point_to_point});
  }
  history_.events.push_back(event);
}

// The operations of a coalesced region stay "scheduled" for ever; only the entry that closes it is watched.
// They stand right before it and have its numbers.
FlightRecorderRank::Region FlightRecorderRank::close_region(const FlightRecorderEntry& entry,
                                                            const Event& closing) {
  const std::int64_t sequence = entry.collective_sequence.value_or(kNoNumber);
  bool has_collective = false;
  bool has_point_to_point = false;
  std::size_t keep = pending_.size();
  for (std::size_t at = pending_.size(); at-- > 0 && pending_.size() - at <= kLongestRegion;) {
    const Pending& one = pending_[at];
    if (one.group != entry.group) continue;
    const bool is_inside =
        one.collective_sequence == sequence &&
        (!one.is_point_to_point || one.p2p_sequence == entry.p2p_sequence.value_or(kNoNumber));
    if (!is_inside) break;
    history_.events[one.event].state = closing.state;
    history_.events[one.event].end_ns = closing.end_ns;
    (one.is_point_to_point ? has_point_to_point : has_collective) = true;
    keep = at;
  }
  const auto is_of_group = [&](const Pending& one) { return one.group == entry.group; };
  pending_.erase(
      std::remove_if(pending_.begin() + static_cast<std::ptrdiff_t>(keep), pending_.end(), is_of_group),
      pending_.end());
  if (has_collective) return Region::kOfCollectives;
  // Sends and receives repeat the number of the collective before them.
  const bool repeats = last_sequence_[entry.group] == sequence && sequence != kNoNumber;
  const bool is_of_point_to_point = has_point_to_point || repeats || entry.is_p2p.value_or(false);
  return is_of_point_to_point ? Region::kOfPointToPoint : Region::kOfCollectives;
}

void FlightRecorderRank::settle_events() {
  const std::vector<model::CommunicatorId> communicators = groups_.finish(job_, history_);
  for (Event& event : history_.events) {
    const auto group = static_cast<std::uint32_t>(event.communicator);
    const Backend& of = backends_[backend_of_group_[group]];
    event.communicator = communicators[group];
    if (of.tracks_state) continue;
    if (event.state == EventState::kFailed) event.state = EventState::kCompleted;
    if (event.state == EventState::kIssued && !of.has_retired) event.state = EventState::kUntracked;
  }
}

// Dumps may be asked for what is active alone. A ring holds more calls than a program issues before its
// device has finished some, so one without any that is finished is such a dump. An empty one says nothing of
// it.
void FlightRecorderRank::settle_listing() {
  const bool tracks_state = std::ranges::any_of(backends_, &Backend::tracks_state);
  if (lists_finished_ || (entries_ > 0 && !tracks_state)) return;
  const bool is_whole = entries_ > 0 && history_.begins_at_start && history_.events_lost == 0;
  if (is_whole || unreadable_ > 0) return;
  history_.listing = entries_ > 0 ? model::Listing::kOnlyUnfinished : model::Listing::kUnclear;
  history_.events_lost = 0;
  history_.left_out_behind = std::move(gap_behind_);
}

// The messages of a batch are never told how it went. Where only what is unfinished is listed, a finished
// batch leaves its messages behind without the entry that closes it: a gap stands right behind them. A
// message on its own may have a gap behind it too, but not each of several.
void FlightRecorderRank::settle_batches() {
  if (history_.listing != model::Listing::kOnlyUnfinished) return;
  const auto has_gap_behind = [&](const Pending& one) {
    return one.record_id == last_record_id_ || std::ranges::binary_search(gaps_, one.record_id);
  };
  struct Messages {
    std::size_t count = 0;
    std::size_t with_gap = 0;
  };
  std::vector<Messages> by_group(closes_batches_.size());
  for (std::size_t at = 0; at < pending_.size(); ++at) {
    const Pending& one = pending_[at];
    if (!one.is_point_to_point) continue;
    const bool goes_on = at + 1 < pending_.size() && pending_[at + 1].group == one.group &&
                         pending_[at + 1].p2p_sequence == one.p2p_sequence &&
                         pending_[at + 1].record_id == one.record_id + 1;
    Messages& messages = by_group[one.group];
    ++messages.count;
    messages.with_gap += goes_on || has_gap_behind(one) ? 1 : 0;
  }
  for (const Pending& one : pending_) {
    if (!one.is_point_to_point) continue;
    const Messages& messages = by_group[one.group];
    const bool are_batches =
        closes_batches_[one.group] || (messages.count > 1 && messages.with_gap == messages.count);
    if (are_batches) history_.events[one.event].state = EventState::kCompleted;
  }
}

void FlightRecorderRank::name_writer() {
  const RankInName told = rank_in_name(source_.path);
  model::Rank& rank = history_.rank;
  rank.local_rank = told.local_rank;
  rank.restart = told.restart.value_or(0);
  if (!told.host.empty()) {
    job_.hosts.push_back({.name = told.host, .clock_ahead_ns = {}});
    rank.host = 0;
  }
  if (rank.number != model::kUnknownRank) return;
  const std::optional<int> content = told.rank && !told.is_guess ? std::nullopt : groups_.rank_of_writer();
  rank.number = content ? *content : told.rank.value_or(model::kUnknownRank);
  if (rank.number == model::kUnknownRank) limit("neither its name nor its content tells which rank wrote it");
}

void FlightRecorderRank::cut(std::string_view why) {
  history_.reaches_end = false;
  limit(why);
}

void FlightRecorderRank::limit(std::string_view why) {
  job_.limits.push_back(fmt::format("{}: {}", source_.name, why));
}

void FlightRecorderRank::finish() {
  const auto largest = std::ranges::max_element(backends_, {}, &Backend::events);
  if (largest != backends_.end()) job_.backend = largest->name;
  if (const std::optional<int> size = groups_.world_size()) job_.world_size = size;
  settle_events();
  settle_listing();
  settle_batches();
  name_writer();
  if (unreadable_ > 0)
    limit(fmt::format("{} of {} entries are not what a flight recorder writes", unreadable_, entries_));
  std::vector<Event>& events = history_.events;
  if (events.capacity() > events.size() + events.size() / 4) events.shrink_to_fit();
  job_.ranks.push_back(std::move(history_));
}

void FlightRecorderRank::finish_as(int rank) {
  history_.rank.number = rank;
  finish();
}

}  // namespace lockstep::readers
