#include "readers/pytorch/flight_recorder_groups.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <utility>

#include "model/collective.h"

namespace lockstep::readers {

namespace {

using model::Operation;

// Variants of one operation: out of place, on flat tensors, of several tensors, with uneven counts.
constexpr std::array<std::string_view, 9> kVariants = {
    "_oop", "_base", "_coalesced", "_single", "_v", "_sparse", "_into_tensor", "_tensor", "_anysource"};

constexpr std::array<std::pair<std::string_view, Operation>, 25> kFlightRecorderGroupsOperations = {{
    {"all_reduce", Operation::kAllReduce},
    {"allreduce", Operation::kAllReduce},
    {"reduce", Operation::kReduce},
    {"broadcast", Operation::kBroadcast},
    {"all_gather", Operation::kAllGather},
    {"allgather", Operation::kAllGather},
    {"gather", Operation::kGather},
    {"reduce_scatter", Operation::kReduceScatter},
    {"reducescatter", Operation::kReduceScatter},
    {"scatter", Operation::kScatter},
    {"all_to_all", Operation::kAllToAll},
    {"alltoall", Operation::kAllToAll},
    {"alltoallv", Operation::kAllToAll},
    {"barrier", Operation::kBarrier},
    {"all_reduce_barrier", Operation::kBarrier},
    {"monitored_barrier", Operation::kBarrier},
    {"send", Operation::kSend},
    {"isend", Operation::kSend},
    {"recv", Operation::kReceive},
    {"irecv", Operation::kReceive},
    {"recvanysource", Operation::kReceive},
    {"coalesced", Operation::kCoalesced},
    {"split", Operation::kCreateCommunicator},
    {"new_comm", Operation::kCreateCommunicator},
    {"comm_split", Operation::kCreateCommunicator},
}};

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

std::optional<Operation> operation_called(std::string_view name) {
  const auto place =
      std::ranges::find(kFlightRecorderGroupsOperations, name, [](const auto& one) { return one.first; });
  return place == kFlightRecorderGroupsOperations.end() ? std::nullopt : std::optional(place->second);
}

Operation operation_of(std::string_view name) {
  if (name.starts_with('_')) name.remove_prefix(1);
  for (;;) {
    if (const auto operation = operation_called(name)) return *operation;
    const auto variant =
        std::ranges::find_if(kVariants, [&](std::string_view suffix) { return name.ends_with(suffix); });
    if (variant == kVariants.end()) return Operation::kUnknown;
    name.remove_suffix(variant->size());
  }
}

std::optional<int> group_rank(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size() && number >= 0;
  return is_whole ? std::optional(number) : std::nullopt;
}

// "0->1" of a send, "1<-0" of a receive: the one who recorded it stands first.
void read_ends(FlightRecorderName& parsed, std::string_view ends) {
  for (const std::string_view arrow : {"->", "<-"}) {
    const std::size_t at = ends.find(arrow);
    if (at == std::string_view::npos) continue;
    parsed.own = group_rank(ends.substr(0, at));
    parsed.peer = group_rank(ends.substr(at + arrow.size()));
  }
}

}  // namespace

FlightRecorderName parse_flight_recorder_name(std::string_view profiling_name) {
  FlightRecorderName parsed;
  const std::size_t colon = profiling_name.find(':');
  if (colon != std::string_view::npos) parsed.backend = profiling_name.substr(0, colon);
  std::string_view name = colon == std::string_view::npos ? profiling_name : profiling_name.substr(colon + 1);
  const std::size_t space = name.find(' ');
  const std::string_view ends = space == std::string_view::npos ? std::string_view() : name.substr(space + 1);
  name = name.substr(0, space);

  // ALLGATHER_coalesced closes a region; allreduce_coalesced is one call with several tensors.
  const bool is_type_coalesced = name.ends_with("_coalesced") && is_upper(name.front());
  parsed.name = name;
  parsed.operation = is_type_coalesced ? Operation::kCoalesced : operation_of(name);
  parsed.closes_region = parsed.operation == Operation::kCoalesced;
  parsed.is_point_to_point = model::is_point_to_point(parsed.operation);
  if (parsed.is_point_to_point) read_ends(parsed, ends);
  return parsed;
}

namespace {

constexpr std::string_view kDefaultGroup = "default_pg";

std::vector<int> ranks_in(std::string_view text) {
  std::vector<int> ranks;
  while (!text.empty()) {
    int rank = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
    if (error == std::errc{} && rank >= 0) ranks.push_back(rank);
    text.remove_prefix(std::max<std::size_t>(1, static_cast<std::size_t>(end - text.data())));
  }
  return ranks;
}

std::optional<std::int64_t> count_of(std::int64_t told) {
  return told < 0 ? std::nullopt : std::optional(told);
}

// Gloo counts sends and receives in pg_status too, which it does not record: the numbers are not those of its
// entries.
bool counts_only_collectives(std::string_view backend) {
  return backend != "gloo";
}

}  // namespace

std::uint32_t FlightRecorderGroups::number_of(std::string_view name, std::string_view description,
                                              const std::string& backend) {
  std::string key(name);
  key.append(1, '\0').append(description).append(1, '\0').append(backend);
  const auto [place, is_new] =
      numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(groups_.size()));
  if (is_new) {
    groups_.push_back({.name = std::string(name),
                       .description = std::string(description),
                       .backend = backend,
                       .has_point_to_point = false,
                       .last_pg_id = {},
                       .own = {}});
  }
  return place->second;
}

void FlightRecorderGroups::saw_entry(std::uint32_t group, std::optional<std::int64_t> pg_id,
                                     bool is_point_to_point) {
  Group& seen = groups_[group];
  if (is_point_to_point) seen.has_point_to_point = true;
  if (!pg_id || pg_id == seen.last_pg_id) return;
  seen.last_pg_id = pg_id;
  group_of_pg_id_.try_emplace(*pg_id, group);
}

void FlightRecorderGroups::saw_own(std::uint32_t group, int own) {
  groups_[group].own = own;
}

void FlightRecorderGroups::configure(std::string_view name, std::string_view description,
                                     std::string_view ranks) {
  configure(name, description, ranks_in(ranks));
}

void FlightRecorderGroups::configure(std::string_view name, std::string_view description,
                                     std::vector<int> ranks) {
  if (ranks.empty()) return;
  configured_.insert_or_assign(
      std::string(name), Configured{.description = std::string(description), .ranks = std::move(ranks)});
}

void FlightRecorderGroups::set_status(std::string_view pg_id, const Status& status) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(pg_id.data(), pg_id.data() + pg_id.size(), number);
  if (error == std::errc{}) statuses_.insert_or_assign(number, status);
}

const FlightRecorderGroups::Configured* FlightRecorderGroups::configured(const Group& group) const {
  const auto place = configured_.find(group.name);
  const bool is_same = place != configured_.end() &&
                       (place->second.description == group.description || group.description.empty());
  return is_same ? &place->second : nullptr;
}

std::optional<int> FlightRecorderGroups::rank_of_writer() const {
  for (const Group& group : groups_) {
    if (!group.own) continue;
    if (const Configured* known = configured(group)) {
      const auto own = static_cast<std::size_t>(*group.own);
      if (own < known->ranks.size()) return known->ranks[own];
    } else if (group.description == kDefaultGroup) {
      return group.own;
    }
  }
  // Every group listed has the writer in it: with several, often nobody else is in all of them.
  std::optional<std::vector<int>> in_all;
  for (const auto& [name, group] : configured_) {
    std::vector<int> ranks = group.ranks;
    std::ranges::sort(ranks);
    if (!in_all) {
      in_all = std::move(ranks);
      continue;
    }
    std::vector<int> common;
    std::ranges::set_intersection(*in_all, ranks, std::back_inserter(common));
    in_all = std::move(common);
  }
  return in_all && in_all->size() == 1 ? std::optional(in_all->front()) : std::nullopt;
}

std::optional<int> FlightRecorderGroups::world_size() const {
  const auto is_default = [](const auto& one) {
    return one.second.description == kDefaultGroup || (one.first == "0" && one.second.description.empty());
  };
  const auto place = std::ranges::find_if(configured_, is_default);
  return place == configured_.end() ? std::nullopt
                                    : std::optional(static_cast<int>(place->second.ranks.size()));
}

std::vector<model::CommunicatorId> FlightRecorderGroups::finish(model::Job& job,
                                                                model::RankHistory& history) const {
  const auto intern = [&](const std::string& name, const std::string& description, const std::string& backend,
                          const Configured* known) {
    model::Communicator communicator{
        .name = name, .description = description, .backend = backend, .members = {}, .size = {}};
    if (known != nullptr) {
      communicator.description = known->description;
      communicator.members = known->ranks;
      communicator.size = static_cast<int>(known->ranks.size());
    }
    return job.communicators.intern(communicator);
  };

  std::vector<model::CommunicatorId> communicators;
  std::unordered_map<const Configured*, std::vector<model::CommunicatorId>> used;
  for (const Group& group : groups_) {
    const Configured* known = configured(group);
    communicators.push_back(intern(group.name, group.description, group.backend, known));
    used[known].push_back(communicators.back());
  }
  history.lists_communicators = !configured_.empty();
  UnusedGroups unused_groups;
  for (const auto& [name, group] : configured_) {
    const auto place = used.find(&group);
    if (place == used.end()) {
      history.communicators.push_back(intern(name, group.description, job.backend, &group));
      unused_groups.emplace(name, history.communicators.back());
    } else {
      std::ranges::copy(place->second, std::back_inserter(history.communicators));
    }
  }
  add_progress(communicators, unused_groups, history);
  return communicators;
}

// pg_status knows groups by pg_id alone, and only entries join it to a name. A rank numbers its groups as it
// makes them, and PyTorch's names are counters too: between two ids whose groups are known, as many names as
// ids are one for one.
std::map<std::int64_t, std::string> FlightRecorderGroups::names_by_order() const {
  std::vector<std::int64_t> numbers;
  for (const auto& [name, group] : configured_) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc{} || end != name.data() + name.size()) return {};
    numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  std::map<std::int64_t, std::string> found;
  std::vector<std::int64_t> open_ids;
  std::size_t next = 0;
  const auto settle_up_to = [&](std::size_t end) {
    if (end - next == open_ids.size()) {
      for (const std::int64_t id : open_ids) found.emplace(id, std::to_string(numbers[next++]));
    }
    open_ids.clear();
    next = end;
  };
  for (const auto& [pg_id, status] : statuses_) {
    const auto known = group_of_pg_id_.find(pg_id);
    if (known == group_of_pg_id_.end()) {
      open_ids.push_back(pg_id);
      continue;
    }
    const std::string& name = groups_[known->second].name;
    const auto place =
        std::ranges::find_if(numbers, [&](std::int64_t number) { return std::to_string(number) == name; });
    if (place == numbers.end() || static_cast<std::size_t>(place - numbers.begin()) < next) return {};
    settle_up_to(static_cast<std::size_t>(place - numbers.begin()));
    ++next;
  }
  settle_up_to(numbers.size());
  return found;
}

void FlightRecorderGroups::add_progress(const std::vector<model::CommunicatorId>& communicators,
                                        const UnusedGroups& unused_groups,
                                        model::RankHistory& history) const {
  const auto has_no_entries = [&](const auto& status) { return !group_of_pg_id_.contains(status.first); };
  const bool has_one_unknown_status = std::ranges::count_if(statuses_, has_no_entries) == 1;
  const std::map<std::int64_t, std::string> by_order = names_by_order();
  std::map<model::CommunicatorId, Status>
      last_life;  // a group made anew has a new pg_id, higher than the old
  for (const auto& [pg_id, status] : statuses_) {
    const auto place = group_of_pg_id_.find(pg_id);
    if (place == group_of_pg_id_.end()) {
      const auto name = by_order.find(pg_id);
      const auto unused = name == by_order.end() ? unused_groups.end() : unused_groups.find(name->second);
      if (unused != unused_groups.end()) {
        last_life.insert_or_assign(unused->second, status);
      } else if (unused_groups.size() == 1 && has_one_unknown_status) {
        last_life.insert_or_assign(unused_groups.begin()->second, status);
      }
      continue;
    }
    const Group& group = groups_[place->second];
    // With sends and receives in the group the last number may be one of theirs.
    if (group.has_point_to_point || !counts_only_collectives(group.backend)) continue;
    last_life.insert_or_assign(communicators[place->second], status);
  }
  for (const auto& [communicator, status] : last_life) {
    model::Progress progress;
    progress.communicator = communicator;
    progress.issued = count_of(status.enqueued);
    progress.started = count_of(status.started);
    progress.completed = count_of(status.completed);
    progress.source = model::SourceId{0};
    history.progress.push_back(progress);
  }
}

}  // namespace lockstep::readers
