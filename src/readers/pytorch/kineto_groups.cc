#include <algorithm>

#include "readers/pytorch/kineto_calls.h"
#include "readers/take_number.h"

namespace lockstep::readers {

namespace {

constexpr std::size_t kKinetoGroupsMaxBytes = std::size_t{16} << 20;
constexpr std::int64_t kMaxRankNumber = 1 << 24;
constexpr std::int64_t kLargestBase = 4'000'000'000'000'000'000;  // the year 2096

std::optional<int> count_member(base::FastJson object, std::string_view key) {
  const auto number = base::integer_member(object, key);
  if (!number || *number < 0 || *number > kMaxRankNumber) return std::nullopt;
  return static_cast<int>(*number);
}

model::Communicator group_of(base::FastJson config) {
  model::Communicator group;
  group.name = base::string_member(config, "pg_name").value_or("");
  group.description = base::string_member(config, "pg_desc").value_or("");
  group.backend = backend_in(base::string_member(config, "backend_config").value_or(""));
  group.size = count_member(config, "pg_size");
  bool is_whole = true;
  base::for_each_element(base::member(config, "ranks"), [&](base::FastJson rank) {
    const std::int64_t number = base::integer_of(rank).value_or(-1);
    if (number < 0 || number > kMaxRankNumber) is_whole = false;
    if (is_whole) group.members.push_back(static_cast<int>(number));
  });
  if (!is_whole) group.members.clear();
  return group;
}

void read_distributed_info(base::FastJson info, TraceHead& head) {
  head.rank = count_member(info, "rank");
  head.world_size = count_member(info, "world_size");
  head.backend = backend_in(base::string_member(info, "backend").value_or(""));
  base::for_each_element(base::member(info, "pg_config"), [&](base::FastJson config) {
    model::Communicator group = group_of(config);
    const std::string name = group.name;
    head.groups.try_emplace(name, std::move(group));
  });
  const auto count = count_member(info, "pg_count");
  head.lists_all_groups = count && static_cast<std::size_t>(*count) == head.groups.size();
}

}  // namespace

std::string backend_in(std::string_view config) {
  std::string_view backend;
  for (std::string_view rest = config; !rest.empty();) {
    std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    part = part.substr(part.find(':') + 1);
    if (!backend.empty() && part != backend) return std::string(config);
    backend = part;
  }
  return std::string(backend);
}

std::string made_plain(std::string_view text) {
  std::string plain(text);
  for (char& c : plain) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20) c = ' ';
    if (byte >= 0x80) c = '?';
  }
  return plain;
}

TraceHead parse_trace_head(std::string_view text) {
  TraceHead head;
  if (text.size() > kKinetoGroupsMaxBytes) return head;
  const std::string whole = std::string(text) + "[]}";
  base::FastJsonParser parser;
  auto json = parser.parse(whole);
  if (!json) json = parser.parse(made_plain(whole));
  if (!json) return head;
  head.is_kineto = base::member(*json, "schemaVersion").has_value();
  const std::int64_t base_ns = base::integer_member(*json, "baseTimeNanoseconds").value_or(0);
  if (base_ns > 0 && base_ns <= kLargestBase) head.base_ns = base_ns;
  head.host = base::string_member(*json, "host_name").value_or("");
  if (const auto info = base::member(*json, "distributedInfo")) read_distributed_info(*info, head);
  return head;
}

namespace {

constexpr std::int64_t kKinetoGroupsMaxRanks = 1 << 20;

// A list that was cut still names its first rank and its step where the ranks are evenly spaced.
std::vector<int> evenly_spaced(base::FastJson args) {
  const auto start = base::integer_member(args, "Global rank start");
  const auto stride = base::integer_member(args, "Global rank stride");
  const auto size = base::integer_member(args, "Group size");
  std::vector<int> ranks;
  if (!start || !stride || !size || *start < 0 || *start > kKinetoGroupsMaxRanks || *stride <= 0 ||
      *stride > kKinetoGroupsMaxRanks || *size <= 0 || *start + *stride * *size > kKinetoGroupsMaxRanks) {
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
  if (size && *size > 0 && *size <= kKinetoGroupsMaxRanks) group.size = static_cast<int>(*size);
  return group;
}

}  // namespace lockstep::readers
