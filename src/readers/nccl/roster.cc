#include "readers/nccl/roster.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace lockstep::readers {
namespace {

using model::CommunicatorId;

}  // namespace

std::vector<int> Roster::numbers_by_nobody() const {
  return std::vector<int>(histories_.size(), model::kUnknownRank);
}

int Roster::host(std::string_view name) {
  const auto known = host_index_.find(name);
  if (known != host_index_.end()) return known->second;
  const int index = static_cast<int>(hosts_.size());
  hosts_.push_back({.name = std::string(name), .clock_ahead_ns = std::nullopt});
  host_index_.emplace(std::string(name), index);
  return index;
}

Roster::Process Roster::process(std::string_view host_name, std::int64_t pid, int device) {
  const int host_number = host(host_name);
  const auto [place, is_new] = processes_.try_emplace({host_number, pid, device}, histories_.size());
  if (is_new) {
    model::RankHistory& history = histories_.emplace_back();
    history.rank.host = host_number;
    history.rank.pid = pid;
  }
  return place->second;
}

Roster::Process Roster::nameless_process() {
  histories_.emplace_back();
  return histories_.size() - 1;
}

std::vector<Roster::Process> Roster::devices_of(std::string_view host_name, std::int64_t pid) {
  const int host_number = host(host_name);
  std::vector<Process> found;
  const auto first = processes_.lower_bound({host_number, pid, std::numeric_limits<int>::min()});
  for (auto at = first; at != processes_.end(); ++at) {
    if (std::get<0>(at->first) != host_number || std::get<1>(at->first) != pid) break;
    found.push_back(at->second);
  }
  if (found.empty()) found.push_back(process(host_name, pid, 0));
  return found;
}

CommunicatorId Roster::communicator(const std::string& name, std::optional<int> size) {
  const auto [place, is_new] = group_index_.try_emplace(name, groups_.size());
  if (is_new) groups_.push_back({.name = name, .size = size, .members = {}, .by_rank = {}});
  Group& group = groups_[place->second];
  if (!group.size) group.size = size;
  return static_cast<CommunicatorId>(place->second);
}

void Roster::join(CommunicatorId communicator, int rank, Process process) {
  Group& group = groups_[static_cast<std::size_t>(communicator)];
  if (rank >= 0 && group.by_rank.try_emplace(rank, process).second) group.members.emplace_back(rank, process);
}

std::optional<Roster::Process> Roster::member(CommunicatorId communicator, int rank) const {
  const Group& group = groups_[static_cast<std::size_t>(communicator)];
  const auto found = group.by_rank.find(rank);
  return found == group.by_rank.end() ? std::nullopt : std::optional(found->second);
}

std::vector<int> Roster::numbers_by(CommunicatorId communicator) const {
  std::vector<int> numbers = numbers_by_nobody();
  for (const auto& [rank, process] : groups_[static_cast<std::size_t>(communicator)].members) {
    numbers[process] = rank;
  }
  return numbers;
}

int Roster::largest_size() const {
  int largest = 0;
  for (const Group& group : groups_) {
    if (!group.members.empty()) largest = std::max(largest, group.size.value_or(0));
  }
  return largest;
}

std::vector<int> Roster::numbers_by_largest() const {
  const int largest = largest_size();
  std::vector<int> numbers = numbers_by_nobody();
  std::unordered_map<int, Process> owners;
  for (const Group& group : groups_) {
    if (group.size.value_or(0) != largest) continue;
    for (const auto& [rank, process] : group.members) {
      if (numbers[process] != model::kUnknownRank && numbers[process] != rank) return numbers_by_nobody();
      if (owners.try_emplace(rank, process).first->second != process) return numbers_by_nobody();
      numbers[process] = rank;
    }
  }
  for (const Group& group : groups_) {
    for (const auto& [rank, process] : group.members) {
      if (numbers[process] == model::kUnknownRank) return numbers_by_nobody();
    }
  }
  return numbers;
}

bool Roster::is_whole(const Group& group) const {
  return group.size.value_or(0) > 0 && std::cmp_equal(group.members.size(), *group.size);
}

std::vector<int> Roster::members_of(const Group& group, const std::vector<int>& numbers) const {
  if (!is_whole(group)) return {};
  std::vector<int> members(group.members.size(), model::kUnknownRank);
  for (const auto& [rank, process] : group.members) {
    if (std::cmp_greater_equal(rank, members.size()) || numbers[process] == model::kUnknownRank) return {};
    members[static_cast<std::size_t>(rank)] = numbers[process];
  }
  return members;
}

model::Job Roster::finish(const Source& source, const std::vector<int>& numbers) {
  model::Job job;
  job.backend = "nccl";
  job.sources = {source.name};
  for (Process at = 0; at < histories_.size(); ++at) {
    histories_[at].rank.number = numbers[at];
    histories_[at].sources = {model::SourceId{0}};
  }
  for (const Group& group : groups_) {
    const std::vector<int> members = members_of(group, numbers);
    if (!members.empty() && *group.size == largest_size()) job.world_size = group.size;
    job.communicators.intern(
        {.name = group.name, .description = "", .backend = "nccl", .members = members, .size = group.size});
  }
  job.hosts = std::move(hosts_);
  job.ranks = std::move(histories_);
  *this = Roster();
  return job;
}

}  // namespace lockstep::readers
