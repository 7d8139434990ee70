#include "readers/pytorch/flight_recorder_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/fast_json.h"
#include "readers/pytorch/flight_recorder_entry.h"
#include "readers/pytorch/flight_recorder_rank.h"
#include "readers/rank_in_name.h"

namespace lockstep::readers {

namespace {

// Makes flight recorder entries of those in JSON.

using base::FastJson;
using model::EventState;

std::vector<FastJson> elements(std::optional<FastJson> value) {
  std::vector<FastJson> found;
  simdjson::dom::array list;
  if (value && value->get(list) == simdjson::SUCCESS) found.assign(list.begin(), list.end());
  return found;
}

std::string_view text_in(FastJson value) {
  std::string_view text;
  return value.get(text) == simdjson::SUCCESS ? text : std::string_view();
}

std::vector<model::Shape> shapes_in(std::optional<FastJson> sizes) {
  std::vector<model::Shape> shapes;
  for (const FastJson size : elements(sizes)) {
    model::Shape& shape = shapes.emplace_back();
    for (const FastJson dimension : elements(size)) {
      std::int64_t number = 0;
      if (dimension.get(number) != simdjson::SUCCESS) number = 0;
      shape.push_back(number);
    }
  }
  return shapes;
}

std::vector<model::DataType> types_in(std::optional<FastJson> names) {
  std::vector<model::DataType> types;
  for (const FastJson name : elements(names)) types.push_back(flight_recorder_type(text_in(name)));
  return types;
}

model::Stack stack_in(std::optional<FastJson> frames) {
  model::Stack stack;
  for (const FastJson frame : elements(frames)) {
    stack.push_back({.function = std::string(base::string_member(frame, "name").value_or("")),
                     .file = std::string(base::string_member(frame, "filename").value_or("")),
                     .line = static_cast<int>(base::integer_member(frame, "line").value_or(0))});
  }
  return stack;
}

EventState state_in(std::string_view state) {
  if (state == "completed") return EventState::kCompleted;
  return state == "started" ? EventState::kStarted : EventState::kIssued;
}

std::uint32_t group_of(FastJson object, std::uint32_t name, FlightRecorderRank& rank) {
  const std::optional<FastJson> pair = base::member(object, "process_group");
  const std::vector<FastJson> parts = elements(pair);
  if (parts.empty()) return rank.group(pair ? text_in(*pair) : std::string_view(), "", name);
  return rank.group(text_in(parts.front()), parts.size() > 1 ? text_in(parts[1]) : std::string_view(), name);
}

std::uint32_t thread_of(FastJson object, FlightRecorderRank& rank) {
  if (const auto id = base::string_member(object, "thread_id")) return rank.thread(*id);
  const auto id = base::integer_member(object, "thread_id");
  return id ? rank.thread(std::to_string(*id)) : 0;
}

// False when the object is no entry.
bool add_json_entry(FastJson object, FlightRecorderRank& rank) {
  const std::optional<std::string_view> name = base::string_member(object, "profiling_name");
  if (!name) return false;
  FlightRecorderEntry entry;
  entry.name = rank.name(*name);
  entry.group = group_of(object, entry.name, rank);
  entry.thread = thread_of(object, rank);
  entry.collective =
      rank.collective(entry.name, {.operation = {},
                                   .reduce_op = {},
                                   .input_types = types_in(base::member(object, "input_dtypes")),
                                   .output_types = types_in(base::member(object, "output_dtypes")),
                                   .input_shapes = shapes_in(base::member(object, "input_sizes")),
                                   .output_shapes = shapes_in(base::member(object, "output_sizes")),
                                   .peer = {}});
  const model::Stack stack = stack_in(base::member(object, "frames"));
  if (!stack.empty()) entry.stack = rank.stack(stack);
  entry.state = state_in(base::string_member(object, "state").value_or(""));
  entry.is_retired = base::bool_member(object, "retired").value_or(false);
  entry.is_p2p = base::bool_member(object, "is_p2p");
  entry.record_id = base::integer_member(object, "record_id");
  entry.pg_id = base::integer_member(object, "pg_id");
  entry.collective_sequence = base::integer_member(object, "collective_seq_id");
  if (!entry.collective_sequence) entry.collective_sequence = base::integer_member(object, "seq_id");
  entry.p2p_sequence = base::integer_member(object, "p2p_seq_id");
  entry.time_created_ns = base::integer_member(object, "time_created_ns").value_or(0);
  entry.time_completed_ns = base::integer_member(object, "time_discovered_completed_ns").value_or(0);
  entry.duration_ms = base::number_member(object, "duration_ms").value_or(0);
  rank.add(entry);
  return true;
}

using base::FastJson;

constexpr std::size_t kFlightRecorderJsonSniffedBytes = 4096;
constexpr std::size_t kFlightRecorderJsonUsualEntryBytes = 400;
constexpr std::size_t kFlightRecorderJsonMaxExpectedEntries = 1 << 16;

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
  base::JsonMembers members(text.substr(0, kFlightRecorderJsonSniffedBytes));
  bool is_failure = false;
  while (const auto member = members.next()) {
    if (member->key == "ok") is_failure = member->value.starts_with("false");
    if (is_known_key(member->key) || (is_failure && member->key == "reason")) return true;
  }
  return false;
}

bool is_flight_recorder_json(const Source& source) {
  const std::string_view start = source.bytes.substr(0, kFlightRecorderJsonSniffedBytes);
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
                          std::min(source.bytes.size() / kFlightRecorderJsonUsualEntryBytes,
                                   kFlightRecorderJsonMaxExpectedEntries));
  if (source.bytes.starts_with('[')) {
    if (!read_entries(source.bytes, rank)) rank.cut(fmt::format("cut after {} entries", rank.entries()));
  } else {
    read_flight_recorder_object(source.bytes, rank);
  }
  rank.finish();
  return job;
}

namespace {

constexpr std::size_t kSniffedSnapshotBytes = 8192;
constexpr std::string_view kHeading = "=== Rank ";
constexpr std::string_view kPartial = "PARTIAL DATA: ";

struct Section {
  int rank = 0;
  std::string_view body;
};

std::string_view line_at(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

// Where the next line with a heading begins; the end of the text when there is none.
std::size_t next_heading(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find(kHeading, from); at != std::string_view::npos;
       at = text.find(kHeading, at + 1)) {
    if (at == 0 || text[at - 1] == '\n') return at;
  }
  return text.size();
}

// Takes the first section off the text.
std::optional<Section> take_section(std::string_view& text) {
  for (;;) {
    text.remove_prefix(next_heading(text, 0));
    if (text.empty()) return std::nullopt;
    const std::string_view line = line_at(text);
    const std::size_t size = next_heading(text, line.size());
    Section section{.rank = -1, .body = text.substr(line.size(), size - line.size())};
    text.remove_prefix(size);
    const std::string_view number = line.substr(kHeading.size());
    std::from_chars(number.data(), number.data() + number.size(), section.rank);
    if (section.rank < 0) continue;
    section.body.remove_prefix(std::min(section.body.find_first_not_of(" \r\n"), section.body.size()));
    return section;
  }
}

}  // namespace

bool is_debug_server_snapshot(const Source& source) {
  std::string_view start = source.bytes.substr(0, kSniffedSnapshotBytes);
  while (const auto section = take_section(start)) {
    if (begins_as_flight_recorder_json(section->body)) return true;
  }
  return false;
}

model::Job read_debug_server_snapshot(const Source& source) {
  model::Job job;
  std::string_view text = source.bytes;
  const std::size_t partial = text.substr(0, kSniffedSnapshotBytes).find(kPartial);
  if (partial != std::string_view::npos) {
    job.limits.push_back(fmt::format("{}: {}", source.name, line_at(text.substr(partial + kPartial.size()))));
  }
  while (const auto section = take_section(text)) {
    FlightRecorderRank rank(job, source, 0);
    if (begins_as_flight_recorder_json(section->body)) {
      read_flight_recorder_object(section->body, rank);
    } else {
      rank.limit(
          fmt::format("rank {} gave no dump: {}", section->rank, line_at(section->body).substr(0, 200)));
    }
    rank.finish_as(section->rank);
  }
  return job;
}

namespace {

// Logs of ranks are named by rank as well; only names without an extension, or with a dump's, count.
bool has_extension_of_a_dump(std::filesystem::path path) {
  constexpr std::array<std::string_view, 7> kExtensions = {"",     ".pkl",  ".pickle", ".json",
                                                           ".bin", ".dump", ".trace"};
  if (path.extension() == ".gz" || path.extension() == ".zst") path.replace_extension();
  return std::ranges::find(kExtensions, path.extension().string()) != kExtensions.end();
}

bool is_pickle(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5;
}

}  // namespace

bool is_named_like_a_dump(const Source& source) {
  const std::filesystem::path name = source.path.filename();
  const RankInName told = rank_in_name(name);
  const bool is_certain = told.rank && !told.is_guess && has_extension_of_a_dump(name);
  const bool is_likely = told.rank && (name.string().find(".pickle") != std::string::npos ||
                                       name.string().find(".pkl") != std::string::npos);
  return is_certain || is_likely;
}

model::Job read_unreadable_dump(const Source& source) {
  model::Job job;
  FlightRecorderRank rank(job, source, 0);
  if (source.bytes.empty()) {
    rank.limit("empty");
  } else if (is_pickle(source.bytes)) {
    rank.limit("a pickle, but not a flight recorder dump; nothing of it was executed");
  } else {
    rank.limit("named like a dump, but its content is in no known format");
  }
  rank.finish();
  return job;
}

}  // namespace lockstep::readers
