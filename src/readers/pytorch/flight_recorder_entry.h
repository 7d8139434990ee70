// One entry of a flight recorder dump, the same from pickle and JSON. What repeats is already a number, given
// by FlightRecorderRank.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/collective.h"
#include "model/event.h"

namespace lockstep::readers {

// The words a flight recorder dump is made of, as numbers: keys and states are compared once, when their text
// is first seen.
#define LOCKSTEP_FLIGHT_RECORDER_WORDS(X)          \
  X(Entries, "entries")                            \
  X(Version, "version")                            \
  X(PgConfig, "pg_config")                         \
  X(PgStatus, "pg_status")                         \
  X(Desc, "desc")                                  \
  X(Ranks, "ranks")                                \
  X(LastEnqueued, "last_enqueued_collective")      \
  X(LastStarted, "last_started_collective")        \
  X(LastCompleted, "last_completed_collective")    \
  X(Frames, "frames")                              \
  X(Name, "name")                                  \
  X(Filename, "filename")                          \
  X(Line, "line")                                  \
  X(RecordId, "record_id")                         \
  X(PgId, "pg_id")                                 \
  X(ProcessGroup, "process_group")                 \
  X(ThreadId, "thread_id")                         \
  X(SeqId, "seq_id")                               \
  X(CollectiveSeqId, "collective_seq_id")          \
  X(P2pSeqId, "p2p_seq_id")                        \
  X(IsP2p, "is_p2p")                               \
  X(ProfilingName, "profiling_name")               \
  X(InputSizes, "input_sizes")                     \
  X(OutputSizes, "output_sizes")                   \
  X(InputDtypes, "input_dtypes")                   \
  X(OutputDtypes, "output_dtypes")                 \
  X(TimeCreated, "time_created_ns")                \
  X(TimeStarted, "time_discovered_started_ns")     \
  X(TimeCompleted, "time_discovered_completed_ns") \
  X(DurationMs, "duration_ms")                     \
  X(State, "state")                                \
  X(Retired, "retired")                            \
  X(Scheduled, "scheduled")                        \
  X(Started, "started")                            \
  X(Completed, "completed")

#define LOCKSTEP_ENUMERATOR(Name, text) k##Name,
enum class Word : std::uint8_t { kNone, LOCKSTEP_FLIGHT_RECORDER_WORDS(LOCKSTEP_ENUMERATOR) };
#undef LOCKSTEP_ENUMERATOR

Word word_of(std::string_view text);

// The names c10 gives to data types.
model::DataType flight_recorder_type(std::string_view name);

struct FlightRecorderEntry {
  std::uint32_t name = 0;
  std::uint32_t group = 0;
  std::uint32_t thread = 0;
  model::CollectiveId collective = model::CollectiveId::kNone;
  model::StackId stack = model::StackId::kNone;
  model::EventState state = model::EventState::kIssued;  // of the three that the recorder knows
  bool is_retired = false;
  std::optional<bool> is_p2p;  // dumps before 2.4 do not tell
  std::optional<std::int64_t> record_id;
  std::optional<std::int64_t> pg_id;
  std::optional<std::int64_t> collective_sequence;
  std::optional<std::int64_t> p2p_sequence;
  std::int64_t time_created_ns = 0;  // 0: not told, as in the dump itself
  std::int64_t time_completed_ns = 0;
  double duration_ms = 0;
};

// The whole number that stands behind this key. Keys whose number is not used change nothing.
inline void set_number(FlightRecorderEntry& entry, Word key, std::int64_t value) {
  switch (key) {
    case Word::kRecordId:
      entry.record_id = value;
      break;
    case Word::kPgId:
      entry.pg_id = value;
      break;
    case Word::kSeqId:
    case Word::kCollectiveSeqId:
      entry.collective_sequence = value;
      break;
    case Word::kP2pSeqId:
      entry.p2p_sequence = value;
      break;
    case Word::kTimeCreated:
      entry.time_created_ns = value;
      break;
    case Word::kTimeCompleted:
      entry.time_completed_ns = value;
      break;
    default:
      break;
  }
}

}  // namespace lockstep::readers
