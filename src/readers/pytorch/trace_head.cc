#include "readers/pytorch/trace_head.h"

#include <algorithm>

namespace lockstep::readers {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr std::int64_t kMostRanks = 1 << 24;
constexpr std::int64_t kLargestBase = 4'000'000'000'000'000'000;  // the year 2096

std::optional<int> count_member(base::FastJson object, std::string_view key) {
  const auto number = base::integer_member(object, key);
  if (!number || *number < 0 || *number > kMostRanks) return std::nullopt;
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
    if (number < 0 || number > kMostRanks) is_whole = false;
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
  if (text.size() > kMostBytes) return head;
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

}  // namespace lockstep::readers
