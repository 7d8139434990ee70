#include "readers/pytorch/flight_recorder_pickle.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "readers/pytorch/flight_recorder_rank.h"
#include "readers/pytorch/pickle_entry_reader.h"
#include "readers/pytorch/pickle_machine.h"

namespace lockstep::readers {
namespace {

constexpr std::size_t kSniffedBytes = 4096;
constexpr std::size_t kUsualEntryBytes = 160;
constexpr std::size_t kMostExpectedEntries = 1 << 16;

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
  const std::string_view start = source.bytes.substr(0, kSniffedBytes);
  return begins_as_pickle(start) && std::ranges::any_of(kTellingWords, [&](std::string_view word) {
           return start.find(word) != std::string_view::npos;
         });
}

model::Job read_flight_recorder_pickle(const Source& source) {
  model::Job job;
  FlightRecorderRank rank(job, source,
                          std::min(source.bytes.size() / kUsualEntryBytes, kMostExpectedEntries));
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
