// The words a flight recorder dump is made of, as numbers: keys and states are compared once, when their text
// is first seen.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::readers {

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

}  // namespace lockstep::readers
