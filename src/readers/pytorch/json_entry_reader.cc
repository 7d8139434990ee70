#include "readers/pytorch/json_entry_reader.h"

#include <string>
#include <utility>
#include <vector>

#include "readers/pytorch/flight_recorder_types.h"

namespace lockstep::readers {
namespace {

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

}  // namespace

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

}  // namespace lockstep::readers
