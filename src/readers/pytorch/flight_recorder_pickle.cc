#include "readers/pytorch/flight_recorder_pickle.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "readers/pytorch/flight_recorder_entry.h"
#include "readers/pytorch/flight_recorder_rank.h"
#include "readers/pytorch/pickle_machine.h"

namespace lockstep::readers {

namespace {

using model::EventState;
using Values = std::span<const PickleValue>;

std::int64_t integer_or_0(const PickleValue& value) {
  return value.kind == PickleKind::kInteger ? value.integer : 0;
}

Values elements(const PickleValue& value, const PickleStore& store) {
  const bool has_any = value.kind == PickleKind::kList || value.kind == PickleKind::kTuple;
  return has_any ? store.values(value.container) : Values();
}

EventState state_in(const PickleValue& value) {
  if (value.word == Word::kCompleted) return EventState::kCompleted;
  return value.word == Word::kStarted ? EventState::kStarted : EventState::kIssued;
}

std::vector<model::Shape> shapes_in(const PickleValue& sizes, const PickleStore& store) {
  std::vector<model::Shape> shapes;
  for (const PickleValue& size : elements(sizes, store)) {
    model::Shape& shape = shapes.emplace_back();
    for (const PickleValue& dimension : elements(size, store)) shape.push_back(integer_or_0(dimension));
  }
  return shapes;
}

std::vector<model::DataType> types_in(const PickleValue& names, const PickleStore& store) {
  std::vector<model::DataType> types;
  for (const PickleValue& name : elements(names, store)) types.push_back(flight_recorder_type(name.view()));
  return types;
}

}  // namespace

void PickleEntryReader::take(Values entry, PickleStore& store, std::string_view bytes) {
  FlightRecorderEntry read;
  Parts parts;
  for (std::size_t at = 0; at + 1 < entry.size(); at += 2) read_member(entry[at], entry[at + 1], read, parts);
  if (parts.name.kind != PickleKind::kText) {
    rank_.add_unreadable();
    return;
  }
  read.name = name_of(parts.name);
  read.group = group_of(parts.group, read.name, store);
  read.thread = thread_of(parts.thread);
  read.collective = collective_of(parts, read.name, store);
  read.stack = stack_of(parts.frames, store);
  rank_.add(read);
  if (!bytes.empty()) known_.learn(bytes, entry, read);
}

std::size_t PickleEntryReader::take_known(std::string_view bytes) {
  const KnownEntries::Found found = known_.find(bytes);
  if (found.size > 0) rank_.add(*found.entry);
  return found.size;
}

void PickleEntryReader::read_member(const PickleValue& key, const PickleValue& value,
                                    FlightRecorderEntry& entry, Parts& parts) {
  switch (key.word) {
    case Word::kProfilingName:
      parts.name = value;
      break;
    case Word::kProcessGroup:
      parts.group = value;
      break;
    case Word::kThreadId:
      parts.thread = value;
      break;
    case Word::kFrames:
      parts.frames = value;
      break;
    case Word::kInputSizes:
      parts.input_sizes = value;
      break;
    case Word::kOutputSizes:
      parts.output_sizes = value;
      break;
    case Word::kInputDtypes:
      parts.input_types = value;
      break;
    case Word::kOutputDtypes:
      parts.output_types = value;
      break;
    case Word::kIsP2p:
      if (value.kind == PickleKind::kBool) entry.is_p2p = value.integer != 0;
      break;
    case Word::kState:
      entry.state = state_in(value);
      break;
    case Word::kRetired:
      entry.is_retired = value.kind == PickleKind::kBool && value.integer != 0;
      break;
    case Word::kDurationMs:
      if (value.kind == PickleKind::kFloat) entry.duration_ms = value.number;
      break;
    default:
      if (value.kind == PickleKind::kInteger) set_number(entry, key.word, value.integer);
      break;
  }
}

std::uint32_t PickleEntryReader::name_of(const PickleValue& text) {
  return names_.find_or(KeyOf().add(text.text).add(text.size).key(), [&] { return rank_.name(text.view()); });
}

std::uint32_t PickleEntryReader::group_of(const PickleValue& pair, std::uint32_t name,
                                          const PickleStore& store) {
  const Values parts = elements(pair, store);
  const PickleValue group_name = parts.empty() ? pair : parts.front();
  const PickleValue description = parts.size() > 1 ? parts[1] : PickleValue();
  // The backend of the name is part of the group.
  const std::uint64_t key = KeyOf()
                                .add(name)
                                .add(group_name.view().data())
                                .add(group_name.size)
                                .add(description.view().data())
                                .add(description.size)
                                .key();
  return groups_.find_or(key, [&] { return rank_.group(group_name.view(), description.view(), name); });
}

std::uint32_t PickleEntryReader::thread_of(const PickleValue& id) {
  if (id.kind == PickleKind::kNone) return 0;
  const auto make = [&] {
    return rank_.thread(id.kind == PickleKind::kInteger ? std::to_string(id.integer)
                                                        : std::string(id.view()));
  };
  return threads_.find_or(KeyOf().add(static_cast<std::uint64_t>(id.integer)).add(id.size).key(), make);
}

// Equal lists of lists of numbers and texts have equal numbers. They are noted at the list, which many
// entries share.
std::uint32_t PickleEntryReader::payload_of(const PickleValue& list, PickleStore& store) {
  if (!list.is_container()) return 0;
  std::uint32_t& note = store.note(list.container);
  if (note > 0) return note;
  KeyOf key;
  for (const PickleValue& element : store.values(list.container)) {
    const Values inner = elements(element, store);
    key.add(static_cast<std::uint64_t>(element.kind)).add(inner.size());
    if (!element.is_container()) key.add(static_cast<std::uint64_t>(element.integer)).add(element.size);
    for (const PickleValue& number : inner) key.add(static_cast<std::uint64_t>(number.integer));
  }
  note = payloads_.find_or(key.key(), [&] { return ++last_payload_; });
  return note;
}

model::CollectiveId PickleEntryReader::collective_of(const Parts& parts, std::uint32_t name,
                                                     PickleStore& store) {
  const std::uint64_t key = KeyOf()
                                .add(name)
                                .add(payload_of(parts.input_sizes, store))
                                .add(payload_of(parts.output_sizes, store))
                                .add(payload_of(parts.input_types, store))
                                .add(payload_of(parts.output_types, store))
                                .key();
  return static_cast<model::CollectiveId>(collectives_.find_or(key, [&] {
    return static_cast<std::uint32_t>(
        rank_.collective(name, {.operation = {},
                                .reduce_op = {},
                                .input_types = types_in(parts.input_types, store),
                                .output_types = types_in(parts.output_types, store),
                                .input_shapes = shapes_in(parts.input_sizes, store),
                                .output_shapes = shapes_in(parts.output_sizes, store),
                                .peer = {}}));
  }));
}

model::StackId PickleEntryReader::stack_of(const PickleValue& frames, PickleStore& store) {
  const Values list = elements(frames, store);
  if (list.empty()) return model::StackId::kNone;
  if (const std::uint32_t noted = store.note(frames.container); noted > 0) {
    return static_cast<model::StackId>(noted - 1);
  }
  KeyOf key;
  stack_frames_.clear();
  for (const PickleValue& frame : list) {
    stack_frames_.push_back(frame_of(frame, store));
    key.add(stack_frames_.back());
  }
  const std::uint32_t number = stacks_.find_or(key.key(), [&] {
    model::Stack stack;
    for (const std::uint32_t frame : stack_frames_) stack.push_back(frames_[frame]);
    return static_cast<std::uint32_t>(rank_.stack(stack));
  });
  store.note(frames.container) = number + 1;
  return static_cast<model::StackId>(number);
}

// The number of the frame is noted at its dict, so a frame that entries share is read once.
std::uint32_t PickleEntryReader::frame_of(const PickleValue& frame, PickleStore& store) {
  if (frame.kind == PickleKind::kDict && store.note(frame.container) > 0)
    return store.note(frame.container) - 1;
  PickleValue function;
  PickleValue file;
  PickleValue line;
  const Values members = frame.kind == PickleKind::kDict ? store.values(frame.container) : Values();
  for (std::size_t at = 0; at + 1 < members.size(); at += 2) {
    if (members[at].word == Word::kName) function = members[at + 1];
    if (members[at].word == Word::kFilename) file = members[at + 1];
    if (members[at].word == Word::kLine) line = members[at + 1];
  }
  const std::uint64_t key = KeyOf()
                                .add(function.view().data())
                                .add(function.size)
                                .add(file.view().data())
                                .add(file.size)
                                .add(static_cast<std::uint64_t>(integer_or_0(line)))
                                .key();
  const std::uint32_t number = frame_numbers_.find_or(key, [&] {
    frames_.push_back({.function = std::string(function.view()),
                       .file = std::string(file.view()),
                       .line = static_cast<int>(integer_or_0(line))});
    return static_cast<std::uint32_t>(frames_.size() - 1);
  });
  if (frame.kind == PickleKind::kDict) store.note(frame.container) = number + 1;
  return number;
}

namespace {

constexpr std::size_t kFlightRecorderPickleSniffedBytes = 4096;
constexpr std::size_t kFlightRecorderPickleUsualEntryBytes = 160;
constexpr std::size_t kFlightRecorderPickleMaxExpectedEntries = 1 << 16;

bool begins_as_pickle(std::string_view bytes) {
  const auto has = [&](std::string_view start) { return bytes.starts_with(start); };
  const bool has_protocol = bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5;
  return has_protocol || has("(d") || has("(l") || has("}q") || has("}(") || has("]q") || has("](");
}

std::optional<std::int64_t> integer_in(const PickleValue& value) {
  return value.kind == PickleKind::kInteger ? std::optional(value.integer) : std::nullopt;
}

// Calls with each key and value of a dict.
template <typename Use>
void for_each_member(std::span<const PickleValue> dict, Use&& use) {
  for (std::size_t at = 0; at + 1 < dict.size(); at += 2) use(dict[at], dict[at + 1]);
}

std::span<const PickleValue> members(const PickleValue& value, const PickleStore& store) {
  return value.kind == PickleKind::kDict ? store.values(value.container) : std::span<const PickleValue>();
}

void read_group(std::string_view key, const PickleValue& group, const PickleStore& store,
                FlightRecorderGroups& groups) {
  std::string_view description;
  PickleValue ranks;
  for_each_member(members(group, store), [&](const PickleValue& name, const PickleValue& value) {
    if (name.word == Word::kDesc) description = value.view();
    if (name.word == Word::kRanks) ranks = value;
  });
  if (ranks.kind == PickleKind::kText) groups.configure(key, description, ranks.view());
  if (ranks.kind != PickleKind::kList && ranks.kind != PickleKind::kTuple) return;
  std::vector<int> numbers;
  for (const PickleValue& rank : store.values(ranks.container)) {
    if (rank.kind == PickleKind::kInteger) numbers.push_back(static_cast<int>(rank.integer));
  }
  groups.configure(key, description, std::move(numbers));
}

void read_status(std::string_view key, const PickleValue& status, const PickleStore& store,
                 FlightRecorderGroups& groups) {
  FlightRecorderGroups::Status read;
  for_each_member(members(status, store), [&](const PickleValue& name, const PickleValue& value) {
    const std::int64_t number = integer_in(value).value_or(-1);
    if (name.word == Word::kLastEnqueued) read.enqueued = number;
    if (name.word == Word::kLastStarted) read.started = number;
    if (name.word == Word::kLastCompleted) read.completed = number;
  });
  groups.set_status(key, read);
}

void read_outermost(const PickleMachine& machine, const PickleStore& store, FlightRecorderRank& rank) {
  for_each_member(machine.outermost(), [&](const PickleValue& key, const PickleValue& value) {
    if (key.word == Word::kVersion) rank.set_version(value.view());
    if (key.word == Word::kPgConfig) {
      for_each_member(members(value, store), [&](const PickleValue& name, const PickleValue& group) {
        read_group(name.view(), group, store, rank.groups());
      });
    }
    if (key.word == Word::kPgStatus) {
      for_each_member(members(value, store), [&](const PickleValue& name, const PickleValue& status) {
        read_status(name.view(), status, store, rank.groups());
      });
    }
  });
}

std::string fault(PickleEnd end, const PickleMachine& machine, std::size_t entries) {
  if (end == PickleEnd::kWhole) return {};
  if (end == PickleEnd::kCut) return fmt::format("cut after {} entries", entries);
  if (end == PickleEnd::kDamaged)
    return fmt::format("damaged at byte {}, after {} entries", machine.offset(), entries);
  return fmt::format("more than a dump holds from byte {} on, after {} entries", machine.offset(), entries);
}

// Whoever wrote such a file meant harm, so nothing of it is believed.
model::Job refused(const Source& source, std::size_t offset) {
  model::Job job;
  FlightRecorderRank rank(job, source, 0);
  rank.limit(fmt::format(
      "refused: at byte {} it asks to import or run code, which no flight recorder dump does; nothing "
      "was executed and nothing of it is used",
      offset));
  rank.finish();
  return job;
}

}  // namespace

bool is_flight_recorder_pickle(const Source& source) {
  constexpr std::array<std::string_view, 5> kTellingWords = {
      "pg_config", "comm_lib_version", "profiling_name", "collective_seq_id", "nccl_comm_state"};
  const std::string_view start = source.bytes.substr(0, kFlightRecorderPickleSniffedBytes);
  return begins_as_pickle(start) && std::ranges::any_of(kTellingWords, [&](std::string_view word) {
           return start.find(word) != std::string_view::npos;
         });
}

model::Job read_flight_recorder_pickle(const Source& source) {
  model::Job job;
  FlightRecorderRank rank(job, source,
                          std::min(source.bytes.size() / kFlightRecorderPickleUsualEntryBytes,
                                   kFlightRecorderPickleMaxExpectedEntries));
  PickleEntryReader entries(rank);
  PickleMachine machine(source.bytes, entries);
  const PickleEnd end = machine.run();
  if (end == PickleEnd::kRefused) return refused(source, machine.offset());
  read_outermost(machine, machine.store(), rank);
  if (const std::string why = fault(end, machine, rank.entries()); !why.empty()) {
    rank.cut(why);
  } else if (rank.entries() == 0) {
    rank.limit("a dump without entries");
  }
  rank.finish();
  return job;
}

}  // namespace lockstep::readers
