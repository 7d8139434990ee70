#include "model/merge.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/event.h"

namespace lockstep::model {
namespace {

// One rank's events from two inputs, such as two dumps of one ring or a dump and a trace.

// What makes two events of one rank the same: for numbered collectives the number (and which of several
// coalesced ones it is), for the rest the very call.
struct RankIdentity {
  EventKind kind;
  CommunicatorId communicator;
  std::uint64_t sequence;
  std::uint64_t which;
  CollectiveId collective;
  std::int64_t begin_ns;

  auto operator<=>(const RankIdentity&) const = default;
};

std::vector<RankIdentity> identities_of(const std::vector<Event>& events) {
  std::vector<RankIdentity> identities;
  identities.reserve(events.size());
  std::map<std::pair<CommunicatorId, std::uint64_t>, std::uint64_t> times_seen;
  for (const Event& event : events) {
    const bool has_number = event.kind == EventKind::kCollective && event.sequence != kNoSequence;
    identities.push_back({.kind = event.kind,
                          .communicator = event.communicator,
                          .sequence = event.sequence,
                          .which = has_number ? times_seen[{event.communicator, event.sequence}]++ : 0,
                          .collective = has_number ? CollectiveId::kNone : event.collective,
                          .begin_ns = has_number ? kNoTime : event.begin_ns});
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

// A collective both inputs tell of becomes one event that knows what either knew. The result is in the order
// of issue: of time where every event has one, else first `left`, then what only `right` has.
std::vector<Event> join_events(std::vector<Event> left, std::vector<Event> right) {
  if (left.empty()) return right;
  std::map<RankIdentity, std::size_t> place_of;
  const std::vector<RankIdentity> left_identities = identities_of(left);
  for (std::size_t at = 0; at < left.size(); ++at) place_of.emplace(left_identities[at], at);
  const std::vector<RankIdentity> right_identities = identities_of(right);
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

using HostAndPid = std::pair<std::string, std::int64_t>;

std::string host_name(const Job& job, const Rank& rank) {
  return rank.host ? job.hosts.at(static_cast<std::size_t>(*rank.host)).name : std::string{};
}

// A stack dump knows its process, a log its rank: the process number on one host joins them. Where a file
// does not name its host, the process number alone does when only one rank has it.
void number_unknown_ranks(std::vector<Job>& parts) {
  std::map<HostAndPid, std::set<int>> ranks_of;
  std::map<std::int64_t, std::set<int>> ranks_of_pid;
  for (const Job& part : parts) {
    for (const RankHistory& history : part.ranks) {
      if (history.rank.number == kUnknownRank || !history.rank.pid) continue;
      ranks_of[{host_name(part, history.rank), *history.rank.pid}].insert(history.rank.number);
      ranks_of_pid[*history.rank.pid].insert(history.rank.number);
    }
  }
  for (Job& part : parts) {
    for (RankHistory& history : part.ranks) {
      if (history.rank.number != kUnknownRank || !history.rank.pid) continue;
      const auto exact = ranks_of.find({host_name(part, history.rank), *history.rank.pid});
      const auto by_pid = ranks_of_pid.find(*history.rank.pid);
      if (exact != ranks_of.end() && exact->second.size() == 1) {
        history.rank.number = *exact->second.begin();
      } else if (by_pid != ranks_of_pid.end() && by_pid->second.size() == 1) {
        history.rank.number = *by_pid->second.begin();
      }
    }
  }
}

std::string first_source(const Job& part) {
  return part.sources.empty() ? std::string("an input") : part.sources.front();
}

// Everything that is counted by rank would be as large as a damaged file says.
void drop_impossible_numbers(std::vector<Job>& parts, std::vector<std::string>& limits) {
  for (Job& part : parts) {
    if (part.world_size && (*part.world_size < 0 || *part.world_size > kMaxRanks)) {
      limits.push_back(first_source(part) + ": damaged, it says that the job has " +
                       std::to_string(*part.world_size) + " ranks; that is not used");
      part.world_size.reset();
    }
    for (RankHistory& history : part.ranks) {
      if (history.rank.number >= 0 && history.rank.number < kMaxRanks) continue;
      if (history.rank.number != kUnknownRank) {
        limits.push_back(first_source(part) + ": damaged, it says that it is from rank " +
                         std::to_string(history.rank.number));
      }
      history.rank.number = kUnknownRank;
    }
  }
}

// Their recorders took each for another life of rank 0.
void keep_one_world_size_one(std::vector<Job>& parts, std::vector<std::string>& limits) {
  const std::vector<std::size_t> alone = world_size_one(parts);
  if (alone.empty()) return;
  parts[alone.front()].ranks.front().rank.restart = 0;
  for (const std::size_t other : std::span(alone).subspan(1)) parts[other] = Job{};
  limits.push_back(std::to_string(alone.size()) +
                   " processes were each a world of their own; ranks and steps are those of the first");
}

// A relaunched job is judged by its last attempt; what earlier ones left is another job.
void keep_last_attempt(std::vector<Job>& parts, std::vector<std::string>& limits) {
  int last = 0;
  for (const Job& part : parts) {
    for (const RankHistory& history : part.ranks) last = std::max(last, history.rank.restart);
  }
  std::size_t set_aside = 0;
  for (Job& part : parts) {
    const std::size_t earlier =
        std::erase_if(part.ranks, [&](const RankHistory& history) { return history.rank.restart < last; });
    set_aside += earlier;
    if (earlier > 0 && part.ranks.empty()) part = Job{};  // also its communicators and its number of ranks
  }
  if (set_aside > 0) {
    limits.push_back("the job was restarted; this is about attempt " + std::to_string(last) + ", what " +
                     std::to_string(set_aside) + " ranks of earlier attempts left is not judged");
  }
}

void drop_unknown_ranks(std::vector<Job>& parts, std::vector<std::string>& limits) {
  for (Job& part : parts) {
    const std::size_t dropped = std::erase_if(
        part.ranks, [](const RankHistory& history) { return history.rank.number == kUnknownRank; });
    if (dropped == 0) continue;
    limits.push_back(first_source(part) + ": a part of it names no rank and is not used");
  }
}

// So that the result is the same whatever order the files were read in.
void sort_parts(std::vector<Job>& parts) {
  const auto key = [](const Job& part) {
    return std::tuple(part.ranks.empty() ? kUnknownRank : part.ranks.front().rank.number,
                      part.sources.empty() ? std::string_view{} : std::string_view(part.sources.front()));
  };
  std::ranges::stable_sort(parts, {}, key);
}

int host_index(std::vector<Host>& hosts, const Host& host) {
  const auto found = std::ranges::find(hosts, host.name, &Host::name);
  if (found != hosts.end()) return static_cast<int>(found - hosts.begin());
  hosts.push_back(host);
  return static_cast<int>(hosts.size() - 1);
}

// Where each id of one part went in the whole job.
struct Translation {
  std::vector<CommunicatorId> communicators;
  std::vector<CollectiveId> collectives;
  std::vector<StackId> stacks;
  std::vector<NameId> names;
  std::uint32_t first_checksums = 0;
  std::uint32_t first_source = 0;
};

template <typename Id, typename Table>
std::vector<Id> intern_all(const Table& from, Table& into) {
  std::vector<Id> ids;
  ids.reserve(from.size());
  for (const auto& value : from.values()) ids.push_back(into.intern(value));
  return ids;
}

template <typename Id>
void translate(Id& id, const std::vector<Id>& ids) {
  if (id != Id::kNone) id = ids.at(static_cast<std::size_t>(id));
}

template <typename Id>
void shift(Id& id, std::uint32_t by) {
  if (id != Id::kNone) id = static_cast<Id>(static_cast<std::uint32_t>(id) + by);
}

void translate(RankHistory& history, const Translation& to) {
  for (Event& event : history.events) {
    translate(event.communicator, to.communicators);
    translate(event.collective, to.collectives);
    translate(event.stack, to.stacks);
    translate(event.name, to.names);
    shift(event.checksums, to.first_checksums);
    shift(event.source, to.first_source);
  }
  for (CommunicatorId& id : history.communicators) translate(id, to.communicators);
  for (Progress& progress : history.progress) {
    translate(progress.communicator, to.communicators);
    shift(progress.source, to.first_source);
  }
  for (StackSnapshot& snapshot : history.snapshots) {
    translate(snapshot.stack, to.stacks);
    shift(snapshot.source, to.first_source);
  }
  for (Failure& failure : history.failures) {
    translate(failure.stack, to.stacks);
    shift(failure.source, to.first_source);
  }
  for (SourceId& source : history.sources) shift(source, to.first_source);
}

template <typename T>
void append(std::vector<T>& to, std::vector<T>&& from) {
  if (to.empty()) {
    to = std::move(from);
    return;
  }
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

template <typename T>
void keep_known(std::optional<T>& to, const std::optional<T>& from) {
  if (!to) to = from;
}

void join(RankHistory& to, RankHistory&& from) {
  keep_known(to.rank.host, from.rank.host);
  keep_known(to.rank.local_rank, from.rank.local_rank);
  keep_known(to.rank.pid, from.rank.pid);
  keep_known(to.rank.exit_status, from.rank.exit_status);
  keep_known(to.rank.begun_ns, from.rank.begun_ns);
  keep_known(to.rank.ended_ns, from.rank.ended_ns);
  to.rank.end = std::max(to.rank.end, from.rank.end);
  to.rank.liveness = std::max(to.rank.liveness, from.rank.liveness);
  to.rank.launcher_saw_first = to.rank.launcher_saw_first || from.rank.launcher_saw_first;
  keep_known(to.rank.world_size, from.rank.world_size);
  if (to.rank.meeting_place.empty()) to.rank.meeting_place = from.rank.meeting_place;
  if (to.rank.framework_version.empty()) to.rank.framework_version = from.rank.framework_version;
  if (to.rank.recorder_version.empty()) to.rank.recorder_version = from.rank.recorder_version;
  if (!from.events.empty()) {
    to.begins_at_start =
        to.events.empty() ? from.begins_at_start : to.begins_at_start || from.begins_at_start;
    to.reaches_end = to.events.empty() ? from.reaches_end : to.reaches_end || from.reaches_end;
    if (to.events.empty()) to.left_out_behind = std::move(from.left_out_behind);
    to.listing = to.events.empty() ? from.listing : std::min(to.listing, from.listing);
    to.events = join_events(std::move(to.events), std::move(from.events));
  }
  to.events_lost += from.events_lost;
  to.lists_communicators = to.lists_communicators || from.lists_communicators;
  append(to.communicators, std::move(from.communicators));
  append(to.progress, std::move(from.progress));
  append(to.snapshots, std::move(from.snapshots));
  append(to.failures, std::move(from.failures));
  append(to.sources, std::move(from.sources));
}

// A number counts within a communicator; without one, as damage leaves it, it says nothing.
bool is_numbered(const Event& event) {
  return event.kind == EventKind::kCollective && event.communicator != CommunicatorId::kNone &&
         event.sequence != kNoSequence;
}

// A framework that makes its groups anew inside the process counts from the start again. What it numbered
// before is another life of the group: those events stay, without a number.
void keep_last_numbering(RankHistory& history) {
  struct Life {
    std::uint64_t highest = 0;  // number
    std::size_t first = 0;      // event
  };
  std::unordered_map<CommunicatorId, Life> lives;
  CommunicatorId current = CommunicatorId::kNone;  // runs of one communicator are long
  Life* life = nullptr;
  for (std::size_t at = 0; at < history.events.size(); ++at) {
    const Event& event = history.events[at];
    if (!is_numbered(event)) continue;
    if (event.communicator != current) {
      current = event.communicator;
      life = &lives.try_emplace(current, Life{.highest = event.sequence, .first = 0}).first->second;
    }
    auto& [highest, first] = *life;
    const bool begins_again = event.sequence <= 1 && event.sequence + 1 < highest;
    if (begins_again) {
      for (std::size_t before = first; before < at; ++before) {
        Event& old = history.events[before];
        if (old.communicator == event.communicator && old.kind == EventKind::kCollective)
          old.sequence = kNoSequence;
      }
      first = at;
      highest = event.sequence;
    }
    highest = std::max(highest, event.sequence);
  }
}

void add_summary(Job& job, const Job& part) {
  if (job.framework.empty()) job.framework = part.framework;
  if (job.backend.empty()) job.backend = part.backend;
  if (part.world_size) job.world_size = std::max(job.world_size.value_or(0), *part.world_size);
  job.limits.insert(job.limits.end(), part.limits.begin(), part.limits.end());
}

}  // namespace

Job merge(std::vector<Job> parts) {
  Job job;
  drop_impossible_numbers(parts, job.limits);
  number_unknown_ranks(parts);
  keep_one_world_size_one(parts, job.limits);
  keep_last_attempt(parts, job.limits);
  drop_unknown_ranks(parts, job.limits);
  sort_parts(parts);

  MergedCommunicators communicators = merge_communicators(parts);
  for (const Communicator& communicator : communicators.all) job.communicators.intern(communicator);

  std::map<int, std::size_t> place_of;
  for (std::size_t at = 0; at < parts.size(); ++at) {
    Job& part = parts[at];
    add_summary(job, part);
    Translation to{.communicators = std::move(communicators.ids_by_part[at]),
                   .collectives = intern_all<CollectiveId>(part.collectives, job.collectives),
                   .stacks = intern_all<StackId>(part.stacks, job.stacks),
                   .names = intern_all<NameId>(part.names, job.names),
                   .first_checksums = static_cast<std::uint32_t>(job.checksums.size()),
                   .first_source = static_cast<std::uint32_t>(job.sources.size())};
    append(job.checksums, std::move(part.checksums));
    append(job.sources, std::move(part.sources));
    for (RankHistory& history : part.ranks) {
      translate(history, to);
      if (history.rank.host) {
        history.rank.host =
            host_index(job.hosts, part.hosts.at(static_cast<std::size_t>(*history.rank.host)));
      }
      const auto [place, is_new] = place_of.try_emplace(history.rank.number, job.ranks.size());
      if (is_new) {
        job.ranks.push_back(std::move(history));
      } else {
        join(job.ranks[place->second], std::move(history));
      }
    }
    part = Job{};
  }
  for (RankHistory& history : job.ranks) keep_last_numbering(history);
  std::ranges::sort(job.ranks, {}, [](const RankHistory& history) { return history.rank.number; });
  return job;
}

namespace {

struct Life {
  std::size_t part = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

// Up to the last that is known of it.
std::optional<Life> life_of_lone_world(const Job& part, std::size_t place) {
  if (part.world_size != 1 || part.ranks.size() != 1 || part.ranks.front().rank.number != 0)
    return std::nullopt;
  const RankHistory& history = part.ranks.front();
  if (!history.rank.begun_ns) return std::nullopt;
  Life life{.part = place, .begin_ns = *history.rank.begun_ns, .end_ns = *history.rank.begun_ns};
  for (const Event& event : history.events)
    life.end_ns = std::max({life.end_ns, event.begin_ns, event.end_ns});
  if (history.rank.ended_ns) life.end_ns = *history.rank.ended_ns;
  return life;
}

}  // namespace

std::vector<std::size_t> world_size_one(std::span<const Job> parts) {
  std::vector<Life> lives;
  for (std::size_t place = 0; place < parts.size(); ++place) {
    if (const auto life = life_of_lone_world(parts[place], place)) lives.push_back(*life);
  }
  std::ranges::sort(lives, {}, &Life::begin_ns);
  std::vector<bool> overlaps(lives.size(), false);
  std::size_t longest = 0;  // of those before: the one that ends last
  for (std::size_t at = 1; at < lives.size(); ++at) {
    if (lives[at].begin_ns < lives[longest].end_ns) overlaps[at] = overlaps[longest] = true;
    if (lives[at].end_ns > lives[longest].end_ns) longest = at;
  }
  std::vector<std::size_t> found;
  for (std::size_t at = 0; at < lives.size(); ++at) {
    if (overlaps[at]) found.push_back(lives[at].part);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace lockstep::model
