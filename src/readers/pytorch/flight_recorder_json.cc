#include "readers/pytorch/flight_recorder_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/fast_json.h"
#include "readers/pytorch/json_entry_reader.h"

namespace lockstep::readers {
namespace {

using base::FastJson;

constexpr std::size_t kSniffedBytes = 4096;
constexpr std::size_t kUsualEntryBytes = 400;
constexpr std::size_t kMostExpectedEntries = 1 << 16;

template <typename Use>
void for_each_member(FastJson value, Use&& use) {
  simdjson::dom::object object;
  if (value.get(object) != simdjson::SUCCESS) return;
  for (const auto& [key, member] : object) use(key, member);
}

void read_groups(FastJson config, FlightRecorderGroups& groups) {
  for_each_member(config, [&](std::string_view name, FastJson group) {
    const std::string_view description = base::string_member(group, "desc").value_or("");
    if (const auto text = base::string_member(group, "ranks")) groups.configure(name, description, *text);
    simdjson::dom::array list;
    const auto ranks = base::member(group, "ranks");
    if (!ranks || ranks->get(list) != simdjson::SUCCESS) return;
    std::vector<int> numbers;
    for (const FastJson rank : list) {
      if (std::int64_t number = 0; rank.get(number) == simdjson::SUCCESS)
        numbers.push_back(static_cast<int>(number));
    }
    groups.configure(name, description, std::move(numbers));
  });
}

void read_statuses(FastJson statuses, FlightRecorderGroups& groups) {
  for_each_member(statuses, [&](std::string_view pg_id, FastJson status) {
    groups.set_status(pg_id,
                      {.enqueued = base::integer_member(status, "last_enqueued_collective").value_or(-1),
                       .started = base::integer_member(status, "last_started_collective").value_or(-1),
                       .completed = base::integer_member(status, "last_completed_collective").value_or(-1)});
  });
}

// False when the text ends inside the list.
bool read_entries(std::string_view list, FlightRecorderRank& rank) {
  base::FastJsonParser parser;
  base::JsonObjects objects(list);
  while (const auto object = objects.next()) {
    const auto entry = parser.parse(*object);
    if (!entry || !add_json_entry(*entry, rank)) rank.add_unreadable();
  }
  return objects.was_closed();
}

bool is_known_key(std::string_view key) {
  constexpr std::array<std::string_view, 6> kKeys = {"comm_lib_version", "entries",   "nccl_comm_state",
                                                     "pg_config",        "pg_status", "health_check_results"};
  return std::ranges::find(kKeys, key) != kKeys.end();
}

void read_member(const base::JsonMembers::Member& member, FlightRecorderRank& rank) {
  base::FastJsonParser parser;
  const auto value = parser.parse(member.value);
  if (!value) return;
  if (member.key == "version" && value->is_string()) rank.set_version(value->get_string().value_unsafe());
  if (member.key == "pg_config") read_groups(*value, rank.groups());
  if (member.key == "pg_status") read_statuses(*value, rank.groups());
  // What Ray leaves when it could not get a dump.
  if (member.key == "reason" && value->is_string()) {
    rank.limit(fmt::format("no dump: {}", value->get_string().value_unsafe()));
  }
}

}  // namespace

bool begins_as_flight_recorder_json(std::string_view text) {
  base::JsonMembers members(text.substr(0, kSniffedBytes));
  bool is_failure = false;
  while (const auto member = members.next()) {
    if (member->key == "ok") is_failure = member->value.starts_with("false");
    if (is_known_key(member->key) || (is_failure && member->key == "reason")) return true;
  }
  return false;
}

bool is_flight_recorder_json(const Source& source) {
  const std::string_view start = source.bytes.substr(0, kSniffedBytes);
  const bool is_list = start.starts_with('[') && start.find("\"profiling_name\"") != std::string_view::npos;
  return is_list || begins_as_flight_recorder_json(start);
}

void read_flight_recorder_object(std::string_view object, FlightRecorderRank& rank) {
  bool has_reason = false;
  bool is_whole = true;
  base::JsonMembers members(object);
  while (const auto member = members.next()) {
    has_reason |= member->key == "reason";
    is_whole &= member->is_whole;
    if (member->key == "entries") {
      is_whole &= read_entries(member->value, rank);
    } else if (member->key != "nccl_comm_state") {
      read_member(*member, rank);
    }
  }
  if (!is_whole || !members.was_closed()) {
    rank.cut(fmt::format("cut after {} entries", rank.entries()));
  } else if (rank.entries() == 0 && !has_reason) {
    rank.limit("a dump without entries");
  }
}

model::Job read_flight_recorder_json(const Source& source) {
  model::Job job;
  FlightRecorderRank rank(job, source,
                          std::min(source.bytes.size() / kUsualEntryBytes, kMostExpectedEntries));
  if (source.bytes.starts_with('[')) {
    if (!read_entries(source.bytes, rank)) rank.cut(fmt::format("cut after {} entries", rank.entries()));
  } else {
    read_flight_recorder_object(source.bytes, rank);
  }
  rank.finish();
  return job;
}

}  // namespace lockstep::readers
