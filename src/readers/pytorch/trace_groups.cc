#include "readers/pytorch/trace_groups.h"

#include <algorithm>

#include "readers/take_number.h"

namespace lockstep::readers {
namespace {

constexpr std::int64_t kMostRanks = 1 << 20;

// A list that was cut still names its first rank and its step where the ranks are evenly spaced.
std::vector<int> evenly_spaced(base::FastJson args) {
  const auto start = base::integer_member(args, "Global rank start");
  const auto stride = base::integer_member(args, "Global rank stride");
  const auto size = base::integer_member(args, "Group size");
  std::vector<int> ranks;
  if (!start || !stride || !size || *start < 0 || *start > kMostRanks || *stride <= 0 ||
      *stride > kMostRanks || *size <= 0 || *start + *stride * *size > kMostRanks) {
    return ranks;
  }
  for (std::int64_t i = 0; i < *size; ++i) ranks.push_back(static_cast<int>(*start + i * *stride));
  return ranks;
}

}  // namespace

std::vector<int> parse_rank_list(std::string_view text) {
  std::vector<int> ranks;
  if (!text.starts_with('[') || !text.ends_with(']')) return ranks;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const auto rank = take_number<int>(text);
    if (!rank || *rank < 0) return {};
    ranks.push_back(*rank);
    if (text.starts_with(", ")) {
      text.remove_prefix(2);
    } else if (!text.empty()) {
      return {};
    }
  }
  return ranks;
}

TraceGroups::TraceGroups(const TraceHead& head, model::Job& job) : head_(head), job_(job) {
  for (const auto& [name, group] : head.groups) {
    const model::CommunicatorId id = job.communicators.intern(group);
    if (head.groups.size() == 1) only_ = id;
  }
}

model::CommunicatorId TraceGroups::of(base::FastJson args) {
  const auto name = base::string_member(args, "Process Group Name");
  if (!name || name->empty()) return model::CommunicatorId::kNone;
  const std::string_view ranks = base::string_member(args, "Process Group Ranks").value_or("");
  key_.assign(*name).append("\n").append(ranks);
  if (const auto place = known_.find(key_); place != known_.end()) return place->second;
  const model::CommunicatorId id = job_.communicators.intern(describe(args, *name, ranks));
  known_.emplace(key_, id);
  return id;
}

model::Communicator TraceGroups::describe(base::FastJson args, std::string_view name,
                                          std::string_view ranks) const {
  std::vector<int> members = parse_rank_list(ranks);
  const auto listed = head_.groups.find(name);
  if (listed != head_.groups.end() && (members.empty() || members == listed->second.members)) {
    return listed->second;
  }
  model::Communicator group;
  group.name = name;
  group.description = base::string_member(args, "Process Group Description").value_or("");
  group.backend = head_.backend;
  group.members = members.empty() ? evenly_spaced(args) : std::move(members);
  const auto size = base::integer_member(args, "Group size");
  if (size && *size > 0 && *size <= kMostRanks) group.size = static_cast<int>(*size);
  return group;
}

}  // namespace lockstep::readers
