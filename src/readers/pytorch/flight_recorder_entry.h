// One entry of a flight recorder dump, the same from pickle and JSON. What repeats is already a number, given
// by FlightRecorderRank.
#pragma once

#include <cstdint>
#include <optional>

#include "model/event.h"
#include "readers/pytorch/flight_recorder_words.h"

namespace lockstep::readers {

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
