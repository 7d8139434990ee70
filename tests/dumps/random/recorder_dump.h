// The dumps PyTorch's flight recorder leaves of a run: what its ring still holds, with its counters, in its
// JSON form.
//
// After ProcessGroupNCCL and FlightRecorder in PyTorch: one entry for each collective and each lone send or
// receive; of a batch one for each message, which is never told how it went, and one that closes it.
// `completed` is asked of the device at the time of the dump. Active-only dumps leave out what is completed
// and nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "execution.h"

namespace lockstep::dumps {

struct DumpKind {
  std::size_t ring = 20'000;
  bool only_active = false;
  bool has_counters = true;   // pg_status; dumps of old releases have none
  bool tells_starts = false;  // TORCH_NCCL_ENABLE_TIMING
  bool clocks_differ = false;
  std::vector<int> lost = {};  // ranks whose dump was not collected
};

struct Entry {
  std::int64_t record_id = 0;
  int group = 0;
  std::string_view name;  // the program's
  int elements = 0;
  int sequence = 0;
  int message_sequence = 0;
  int operation = 0;
  bool is_message = false;
  bool is_started = false;  // as far as the recorder was told
  bool is_completed = false;

  bool operator==(const Entry&) const = default;
};

struct Counters {
  int enqueued = -1;
  int started = -1;
  int completed = -1;

  bool operator==(const Counters&) const = default;
};

struct Dump {
  std::vector<Entry> entries;
  std::vector<std::optional<Counters>> counters;  // by group; none where the rank is no member

  bool operator==(const Dump&) const = default;
};

// What the recorder of a rank holds after these calls.
Dump record(const MeshJob& job, int rank, const std::vector<Call>& calls, const DumpKind& kind);

// None where the rank left none.
std::vector<std::optional<Dump>> dumps_of(const MeshJob& job, const Execution& execution,
                                          std::span<const Fault> faults, const DumpKind& kind);

std::string json_of(const MeshJob& job, int rank, const Dump& dump, const DumpKind& kind);

}  // namespace lockstep::dumps
