#include "recorder_dump.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::dumps {
namespace {

constexpr std::int64_t kEpochNs = 1'762'000'000'000'000'000;

bool is_member(const Group& group, int rank) {
  return std::ranges::find(group.members, rank) != group.members.end();
}

class Recorder {
 public:
  Recorder(const MeshJob& job, int rank, const DumpKind& kind) : job_(job), kind_(kind) {
    for (const Group& group : job.groups) {
      dump_.counters.push_back(is_member(group, rank) ? std::optional(Counters{}) : std::nullopt);
    }
  }

  Dump record(const std::vector<Call>& calls) {
    for (const Call& call : calls) {
      if (call.op->kind != OpKind::kSync) add(call);
    }
    const std::size_t kept = std::min(kind_.ring, dump_.entries.size());
    dump_.entries.erase(dump_.entries.begin(), dump_.entries.end() - static_cast<std::ptrdiff_t>(kept));
    if (kind_.only_active)
      std::erase_if(dump_.entries, [](const Entry& entry) { return entry.is_completed; });
    if (!kind_.has_counters) dump_.counters.assign(job_.groups.size(), std::nullopt);
    return std::move(dump_);
  }

 private:
  void add(const Call& call) {
    const bool is_batch = call.op->kind == OpKind::kBatch;
    for (const Message& message : call.op->messages)
      add_entry(call, message.name, message.elements, !is_batch);
    if (is_batch) add_entry(call, "coalesced", 0, true);
    if (call.op->messages.empty()) add_entry(call, call.op->name, call.op->elements, true);
    count(call);
  }

  // The watchdog counts what it was given: of a group with messages the last number may be one of theirs.
  void count(const Call& call) {
    std::optional<Counters>& counters = dump_.counters[static_cast<std::size_t>(call.op->group)];
    const int number = call.op->messages.empty() ? call.sequence : call.message_sequence;
    counters->enqueued = number;
    if (kind_.tells_starts && call.is_started) counters->started = number;
    if (call.is_completed) counters->completed = number;
  }

  void add_entry(const Call& call, std::string_view name, int elements, bool is_told) {
    dump_.entries.push_back({.record_id = records_++,
                             .group = call.op->group,
                             .name = name,
                             .elements = elements,
                             .sequence = call.sequence,
                             .message_sequence = call.message_sequence,
                             .operation = call.operation,
                             .is_message = !call.op->messages.empty(),
                             .is_started = is_told && call.is_started && kind_.tells_starts,
                             .is_completed = is_told && call.is_completed});
  }

  const MeshJob& job_;
  const DumpKind& kind_;
  std::int64_t records_ = 0;
  Dump dump_;
};

std::int64_t output_elements(const MeshJob& job, const Entry& entry) {
  const auto size = static_cast<int>(job.groups[static_cast<std::size_t>(entry.group)].members.size());
  if (entry.name == "_all_gather_base") return static_cast<std::int64_t>(entry.elements) * size;
  if (entry.name == "_reduce_scatter_base") return entry.elements;
  return entry.elements;
}

std::int64_t input_elements(const MeshJob& job, const Entry& entry) {
  const auto size = static_cast<int>(job.groups[static_cast<std::size_t>(entry.group)].members.size());
  return entry.name == "_reduce_scatter_base" ? static_cast<std::int64_t>(entry.elements) * size
                                              : entry.elements;
}

}  // namespace

Dump record(const MeshJob& job, int rank, const std::vector<Call>& calls, const DumpKind& kind) {
  return Recorder(job, rank, kind).record(calls);
}

std::vector<std::optional<Dump>> dumps_of(const MeshJob& job, const Execution& execution,
                                          std::span<const Fault> faults, const DumpKind& kind) {
  std::vector<std::optional<Dump>> dumps;
  for (int rank = 0; rank < job.ranks; ++rank) {
    const bool is_dead = std::ranges::any_of(
        faults, [&](const Fault& fault) { return fault.rank == rank && fault.kind == FaultKind::kDead; });
    const bool is_lost = std::ranges::find(kind.lost, rank) != kind.lost.end();
    dumps.push_back(
        is_dead || is_lost
            ? std::nullopt
            : std::optional(record(job, rank, execution.issued[static_cast<std::size_t>(rank)], kind)));
  }
  return dumps;
}

std::string json_of(const MeshJob& job, int rank, const Dump& dump, const DumpKind& kind) {
  std::vector<int> local(job.groups.size(), -1);  // pg_id
  std::string config;
  std::string status;
  for (std::size_t at = 0, number = 0; at < job.groups.size(); ++at) {
    const Group& group = job.groups[at];
    if (!is_member(group, rank)) continue;
    local[at] = static_cast<int>(number++);
    config += fmt::format(R"({}"{}":{{"desc":"{}","name":"{}","ranks":"[{}]"}})", config.empty() ? "" : ",",
                          group.name, group.description, group.name, fmt::join(group.members, ", "));
    if (const auto& counters = dump.counters[at]) {
      status += fmt::format(
          R"({}"{}":{{"last_completed_collective":"{}","last_enqueued_collective":"{}","last_started_collective":"{}"}})",
          status.empty() ? "" : ",", local[at], counters->completed, counters->enqueued, counters->started);
    }
  }
  const std::int64_t clock = kind.clocks_differ ? (rank * 7919 % 13 - 6) * std::int64_t{3'000'000'000} : 0;
  std::string entries;
  for (const Entry& entry : dump.entries) {
    const Group& group = job.groups[static_cast<std::size_t>(entry.group)];
    const bool has_tensors = entry.name != "coalesced";
    const std::int64_t created = kEpochNs + entry.record_id * 1'000'000 + rank * 7'000 + clock;
    const char* state = entry.is_completed ? "completed" : entry.is_started ? "started" : "scheduled";
    const auto sizes = [&](std::int64_t elements) {
      return has_tensors ? fmt::format("[[{}]]", elements) : std::string("[]");
    };
    const char* types = has_tensors ? R"(["BFloat16"])" : "[]";
    entries += fmt::format(
        R"({}{{"collective_seq_id":{},"input_dtypes":{},"input_sizes":{},"is_p2p":{},"op_id":{},"output_dtypes":{},)"
        R"("output_sizes":{},"p2p_seq_id":{},"pg_id":{},"process_group":["{}","{}"],"profiling_name":"nccl:{}",)"
        R"("record_id":{},"retired":{},"state":"{}","time_created_ns":{},"time_discovered_completed_ns":{},)"
        R"("time_discovered_started_ns":{},"timeout_ms":600000}})",
        entries.empty() ? "" : ",", entry.sequence, types, sizes(input_elements(job, entry)),
        entry.is_message, entry.operation, types, sizes(output_elements(job, entry)), entry.message_sequence,
        local[static_cast<std::size_t>(entry.group)], group.name, group.description, entry.name,
        entry.record_id, entry.is_completed, state, created, entry.is_completed ? created + 700'000 : 0,
        entry.is_completed || entry.is_started ? created + 200'000 : 0);
  }
  return fmt::format(
      R"({{"comm_lib_version":"2.27.3",{}"nccl_comm_state":{{}},"pg_config":{{{}}},"pg_status":{{{}}},"version":"2.10"}})",
      entries.empty() ? "" : "\"entries\":[" + entries + "],", config, status);
}

}  // namespace lockstep::dumps
