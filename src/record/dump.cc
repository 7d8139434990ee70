#include "record/dump.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "lockstep/record_format.h"

#include "base/escape.h"

namespace lockstep::record {
namespace {

using base::Json;

template <std::size_t size>
std::string text_of(const char (&field)[size]) {
  return std::string(field, ::strnlen(field, size));
}

void add_text(Json& json, const char* key, std::string_view text) {
  if (!text.empty()) json[key] = std::string(text);
}

void add_number(Json& json, const char* key, std::uint64_t number) {
  if (number != 0) json[key] = number;
}

void add_peer(Json& json, std::int32_t peer) {
  if (peer >= 0) json["peer"] = peer;
}

// A communicator by its name where it has one, else by its number.
void add_communicator(Json& json, std::uint32_t id, const Definitions& definitions) {
  if (id == 0) return;
  const CommunicatorDefinition* communicator = definitions.communicator(id);
  const std::string_view name = communicator == nullptr ? "" : definitions.string(communicator->name);
  json["communicator"] = name.empty() ? fmt::format("#{}", id) : std::string(name);
}

Json shapes_of(const std::vector<TensorShape>& tensors) {
  Json shapes = Json::array();
  for (const TensorShape& tensor : tensors) {
    shapes.push_back(
        fmt::format("{}[{}]", lockstep_data_type_word(tensor.data_type), fmt::join(tensor.dimensions, ",")));
  }
  return shapes;
}

void add_shapes(Json& json, const TensorsDefinition& tensors) {
  if (!tensors.inputs.empty()) json["inputs"] = shapes_of(tensors.inputs);
  if (!tensors.outputs.empty()) json["outputs"] = shapes_of(tensors.outputs);
}

Json frames_of(const std::vector<lockstep_frame>& frames, const Definitions& definitions) {
  Json list = Json::array();
  for (const lockstep_frame& frame : frames) {
    list.push_back(fmt::format("{} ({}:{})", definitions.string(frame.function),
                               definitions.string(frame.file), frame.line));
  }
  return list;
}

void fill(Json& json, const lockstep_call& call, const Definitions& definitions) {
  json["time_ns"] = call.time_ns;
  add_communicator(json, call.communicator, definitions);
  json["sequence"] = call.sequence;
  json["operation"] = lockstep_operation_word(call.operation);
  if (call.reduce_op != 0) json["reduce_op"] = lockstep_reduce_op_word(call.reduce_op);
  if (call.data_type != 0) json["data_type"] = lockstep_data_type_word(call.data_type);
  add_peer(json, call.peer);
  add_number(json, "payload_bytes", call.payload_bytes);
  add_text(json, "name", definitions.string(call.name));
  if (const TensorsDefinition* tensors = definitions.tensors(call.tensors)) add_shapes(json, *tensors);
  if (call.flags & LOCKSTEP_CALL_ASYNC) json["async"] = true;
  if (call.flags & LOCKSTEP_CALL_CAPTURED) json["captured"] = true;
  add_number(json, "stream", call.stream);
  if (const auto* frames = definitions.stack(call.stack)) json["stack"] = frames_of(*frames, definitions);
}

void fill(Json& json, const lockstep_done& done, const Definitions& definitions) {
  json["time_ns"] = done.time_ns;
  add_communicator(json, done.communicator, definitions);
  json["sequence"] = done.sequence;
  json["operation"] = lockstep_operation_word(done.operation);
  add_peer(json, done.peer);
  json["status"] = done_status_word(done.status);
  add_text(json, "error", definitions.string(done.error));
}

void fill(Json& json, const lockstep_activity& activity, const Definitions& definitions) {
  json["time_ns"] = activity.time_ns;
  json["activity"] = lockstep_activity_word(activity.activity);
  json["phase"] = phase_word(activity.phase);
  json["number"] = activity.number;
  add_text(json, "name", definitions.string(activity.name));
}

void fill(Json& json, const lockstep_checksum& checksum, const Definitions& definitions) {
  add_communicator(json, checksum.communicator, definitions);
  json["sequence"] = checksum.sequence;
  json["operation"] = lockstep_operation_word(checksum.operation);
  add_peer(json, checksum.peer);
  if (checksum.has_input) json["input"] = fmt::format("{:016x}", checksum.input);
  if (checksum.has_output) json["output"] = fmt::format("{:016x}", checksum.output);
}

void fill(Json& json, const lockstep_blob& blob, const Definitions& definitions) {
  add_communicator(json, blob.communicator, definitions);
  json["sequence"] = blob.sequence;
  json["operation"] = lockstep_operation_word(blob.operation);
  add_peer(json, blob.peer);
  json["role"] = blob_role_word(blob.role);
  json["index"] = blob.index;
  add_text(json, "name", definitions.string(blob.name));
  json["bytes"] = blob.bytes;
  json["hash"] = fmt::format("{:02x}", fmt::join(blob.hash, ""));
}

void fill(Json& json, const lockstep_clock& clock, const Definitions&) {
  json["monotonic_ns"] = clock.monotonic_ns;
  json["wall_ns"] = clock.wall_ns;
}

void fill(Json& json, const lockstep_dropped& dropped, const Definitions&) {
  json["time_ns"] = dropped.time_ns;
  json["count"] = dropped.count;
}

void fill(Json& json, const lockstep_thread& thread, const Definitions& definitions) {
  json["new_thread"] = thread.thread;
  add_text(json, "name", definitions.string(thread.name));
}

void fill(Json& json, const lockstep_end& end, const Definitions&) {
  json["time_ns"] = end.time_ns;
  if (end.exit_status >= 0) json["exit_status"] = end.exit_status;
  json["chunks"] = end.chunks;
  json["written_bytes"] = end.written_bytes;
}

void fill(Json& json, const lockstep_string& string, const Definitions& definitions) {
  json["id"] = string.id;
  json["text"] = std::string(definitions.string(string.id));
}

void fill(Json& json, const lockstep_communicator& communicator, const Definitions& definitions) {
  json["id"] = communicator.id;
  add_text(json, "name", definitions.string(communicator.name));
  add_text(json, "description", definitions.string(communicator.description));
  add_text(json, "backend", definitions.string(communicator.backend));
  json["size"] = communicator.size;
  if (communicator.rank_in_it >= 0) json["rank_in_it"] = communicator.rank_in_it;
  const CommunicatorDefinition* definition = definitions.communicator(communicator.id);
  if (definition == nullptr || definition->members.empty()) return;
  Json runs = Json::array();
  for (const lockstep_rank_run& run : definition->members) {
    runs.push_back({{"first", run.first}, {"step", run.step}, {"count", run.count}});
  }
  json["members"] = std::move(runs);
}

void fill(Json& json, const lockstep_tensors& tensors, const Definitions& definitions) {
  json["id"] = tensors.id;
  if (const TensorsDefinition* definition = definitions.tensors(tensors.id)) add_shapes(json, *definition);
}

void fill(Json& json, const lockstep_stack& stack, const Definitions& definitions) {
  json["id"] = stack.id;
  if (const auto* frames = definitions.stack(stack.id)) json["frames"] = frames_of(*frames, definitions);
}

void fill(Json& json, const lockstep_attribute& attribute, const Definitions& definitions) {
  json["key"] = std::string(definitions.string(attribute.key));
  json["value"] = std::string(definitions.string(attribute.value));
}

template <typename Record>
void fill_from(Json& json, const RecordView& view, const Definitions& definitions) {
  const auto* record = view.as<Record>();
  if (record == nullptr) {
    json["too_short"] = view.length;
    return;
  }
  fill(json, *record, definitions);
}

}  // namespace

Json describe(const RecordView& record, const Definitions& definitions) {
  Json json;
  json["record"] = record_type_word(record.type);
  json["offset"] = record.offset;
  json["thread"] = record.thread;
  switch (record.type) {
    case LOCKSTEP_RECORD_CALL:
      fill_from<lockstep_call>(json, record, definitions);
      break;
    case LOCKSTEP_RECORD_DONE:
      fill_from<lockstep_done>(json, record, definitions);
      break;
    case LOCKSTEP_RECORD_ACTIVITY:
      fill_from<lockstep_activity>(json, record, definitions);
      break;
    case LOCKSTEP_RECORD_CHECKSUM:
      fill_from<lockstep_checksum>(json, record, definitions);
      break;
    case LOCKSTEP_RECORD_BLOB:
      fill_from<lockstep_blob>(json, record, definitions);
      break;
    case LOCKSTEP_RECORD_CLOCK:
      fill_from<lockstep_clock>(json, record, definitions);
      break;
    case LOCKSTEP_RECORD_DROPPED:
      fill_from<lockstep_dropped>(json, record, definitions);
      break;
    case LOCKSTEP_RECORD_THREAD:
      fill_from<lockstep_thread>(json, record, definitions);
      break;
    case LOCKSTEP_RECORD_END:
      fill_from<lockstep_end>(json, record, definitions);
      break;
    case LOCKSTEP_RECORD_STRING:
      fill_from<lockstep_string>(json, record, definitions);
      break;
    case LOCKSTEP_RECORD_COMMUNICATOR:
      fill_from<lockstep_communicator>(json, record, definitions);
      break;
    case LOCKSTEP_RECORD_TENSORS:
      fill_from<lockstep_tensors>(json, record, definitions);
      break;
    case LOCKSTEP_RECORD_STACK:
      fill_from<lockstep_stack>(json, record, definitions);
      break;
    case LOCKSTEP_RECORD_ATTRIBUTE:
      fill_from<lockstep_attribute>(json, record, definitions);
      break;
    default:
      json["type"] = record.type;
      json["bytes"] = record.length;
      break;
  }
  return json;
}

Json describe_header(const lockstep_file_header& header) {
  Json json;
  json["format_version"] = header.version;
  json["writer"] = text_of(header.writer);
  json["job"] = text_of(header.job);
  json["host"] = text_of(header.host);
  json["rank"] = header.rank;
  if (header.local_rank >= 0) json["local_rank"] = header.local_rank;
  if (header.world_size >= 0) json["world_size"] = header.world_size;
  json["restart"] = header.restart;
  json["pid"] = header.pid;
  json["monotonic_ns"] = header.monotonic_ns;
  json["wall_ns"] = header.wall_ns;
  json["chunk_bytes"] = header.chunk_bytes;
  add_number(json, "features", header.features);
  return json;
}

Json describe_stats(const ReadStats& stats) {
  Json json;
  json["records"] = stats.records;
  json["chunks"] = stats.chunks;
  json["goodbye"] = stats.has_goodbye;
  json["damaged"] = stats.is_damaged();
  json["limits"] = stats.limits();
  return json;
}

namespace {

using base::Json;

std::string utc_time(std::uint64_t wall_ns) {
  const auto seconds = static_cast<std::time_t>(wall_ns / 1'000'000'000);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:09}Z", fmt::gmtime(seconds), wall_ns % 1'000'000'000);
}

std::string text_head(const std::filesystem::path& path, const lockstep_file_header& header) {
  const Json json = describe_header(header);
  const auto text = [&json](const char* key) { return json[key].get<std::string>(); };
  const std::string world = header.world_size >= 0 ? fmt::format(" of {}", header.world_size) : "";
  return fmt::format(
      "{}\n  job {}, rank {}{}, restart {}, host {}, pid {}\n  format {}, written by {}, clock zero at {}\n",
      base::escape_for_terminal(path.string()), base::escape_for_terminal(text("job")), header.rank, world,
      header.restart, base::escape_for_terminal(text("host")), header.pid, header.version,
      base::escape_for_terminal(text("writer")), utc_time(header.wall_ns));
}

std::string text_value(const Json& value) {
  if (!value.is_string()) return base::escape_for_terminal(base::to_text(value, base::JsonLayout::kOneLine));
  const std::string text = base::escape_for_terminal(value.get_ref<const std::string&>());
  const bool needs_quotes = text.empty() || text.find_first_of(" =\"") != std::string::npos;
  return needs_quotes ? fmt::format("\"{}\"", text) : text;
}

// Seconds since the header was written; records without a time keep the column empty.
std::string time_column(const Json& fields, const lockstep_file_header& header) {
  const auto time = fields.find("time_ns");
  if (time == fields.end()) return "";
  const double since =
      static_cast<double>(time->get<std::uint64_t>()) - static_cast<double>(header.monotonic_ns);
  return fmt::format("{:+.6f}", since / 1e9);
}

std::string text_line(const Json& fields, const lockstep_file_header& header) {
  std::string line = fmt::format("{:>16} {:>8} {:<12}", time_column(fields, header),
                                 fields["thread"].get<std::uint32_t>(), fields["record"].get<std::string>());
  for (const auto& [key, value] : fields.items()) {
    const bool is_in_a_column = key == "record" || key == "offset" || key == "thread" || key == "time_ns";
    if (!is_in_a_column) line += fmt::format(" {}={}", key, text_value(value));
  }
  return line + '\n';
}

std::string text_summary(const ReadStats& stats) {
  std::string text = fmt::format("  {} records in {} chunks\n", stats.records, stats.chunks);
  for (const std::string& limit : stats.limits()) text += fmt::format("  {}\n", limit);
  return text;
}

std::string json_line(const char* record, const std::filesystem::path& path, const Json& fields) {
  Json line{{"record", record}, {"file", path.string()}};
  line.update(fields);
  return base::to_text(line, base::JsonLayout::kOneLine) + '\n';
}

}  // namespace

Result<ReadStats> dump_file(const std::filesystem::path& path, const DumpOptions& options,
                            const DumpSink& sink) {
  const Definitions definitions = TRY(Definitions::read(path));
  Reader reader = TRY(Reader::open(path));
  const lockstep_file_header& header = reader.header();
  const bool is_text = options.layout == DumpLayout::kText;
  TRY(sink(is_text ? text_head(path, header) : json_line("header", path, describe_header(header))));

  std::uint64_t shown = 0;
  while (const RecordView* view = reader.next()) {
    if (!options.types.empty() && !options.types.contains(view->type)) continue;
    if (options.limit != 0 && shown == options.limit)
      continue;  // read on: the summary is about the whole file
    ++shown;
    const Json fields = describe(*view, definitions);
    TRY(sink(is_text ? text_line(fields, header) : base::to_text(fields, base::JsonLayout::kOneLine) + '\n'));
  }
  const ReadStats& stats = reader.stats();
  TRY(sink(is_text ? text_summary(stats) : json_line("summary", path, describe_stats(stats))));
  return stats;
}

std::string_view done_status_word(std::uint8_t number) {
  switch (number) {
    case LOCKSTEP_DONE_COMPLETED:
      return "completed";
    case LOCKSTEP_DONE_STARTED:
      return "started";
    case LOCKSTEP_DONE_FAILED:
      return "failed";
    default:
      return "unknown";
  }
}

std::string_view phase_word(std::uint8_t number) {
  switch (number) {
    case LOCKSTEP_PHASE_BEGIN:
      return "begin";
    case LOCKSTEP_PHASE_END:
      return "end";
    case LOCKSTEP_PHASE_INSTANT:
      return "instant";
    default:
      return "unknown";
  }
}

std::string_view blob_role_word(std::uint8_t number) {
  switch (number) {
    case LOCKSTEP_BLOB_INPUT:
      return "input";
    case LOCKSTEP_BLOB_OUTPUT:
      return "output";
    case LOCKSTEP_BLOB_STATE:
      return "state";
    default:
      return "unknown";
  }
}

namespace {

constexpr std::uint8_t kRecordTypes[] = {
    LOCKSTEP_RECORD_CALL,  LOCKSTEP_RECORD_DONE,      LOCKSTEP_RECORD_ACTIVITY,     LOCKSTEP_RECORD_CHECKSUM,
    LOCKSTEP_RECORD_BLOB,  LOCKSTEP_RECORD_CLOCK,     LOCKSTEP_RECORD_DROPPED,      LOCKSTEP_RECORD_THREAD,
    LOCKSTEP_RECORD_END,   LOCKSTEP_RECORD_STRING,    LOCKSTEP_RECORD_COMMUNICATOR, LOCKSTEP_RECORD_TENSORS,
    LOCKSTEP_RECORD_STACK, LOCKSTEP_RECORD_ATTRIBUTE,
};
static_assert(std::size(kRecordTypes) == std::size(kRecordTypeWords));

}  // namespace

std::string_view record_type_word(std::uint8_t number) {
  const auto* type = std::ranges::find(kRecordTypes, number);
  return type == std::end(kRecordTypes) ? "unknown" : kRecordTypeWords[type - std::begin(kRecordTypes)];
}

std::optional<std::uint8_t> record_type_with_word(std::string_view word) {
  const auto* found = std::ranges::find(kRecordTypeWords, word);
  if (found == std::end(kRecordTypeWords)) return std::nullopt;
  return kRecordTypes[found - std::begin(kRecordTypeWords)];
}

}  // namespace lockstep::record
