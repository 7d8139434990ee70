// Everything the evidence tells about one rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/event.h"
#include "model/rank.h"

namespace lockstep::model {

// How far a rank got in a communicator by a counter that was kept apart from the events: a second witness
// where events were lost, the only one where none were recorded.
struct Progress {
  CommunicatorId communicator = CommunicatorId::kNone;
  Operation operation = Operation::kUnknown;  // the counter counts only this operation; unknown: all of them
  std::optional<std::int64_t> issued = {};    // the last number it issued, or how many
  std::optional<std::int64_t> started = {};
  std::optional<std::int64_t> completed = {};
  SourceId source = SourceId::kNone;
  std::uint32_t position = 0;
};

// Where one thread of the rank was when somebody looked.
struct StackSnapshot {
  std::string thread_name;
  StackId stack = StackId::kNone;
  bool is_main = false;
  bool holds_lock = false;  // the interpreter's lock
  std::int64_t time_ns = kNoTime;
  SourceId source = SourceId::kNone;
  std::uint32_t position = 0;
};

// An error the rank itself reported.
struct Failure {
  std::string message;  // "RuntimeError: ..."
  StackId stack = StackId::kNone;
  std::int64_t time_ns = kNoTime;
  SourceId source = SourceId::kNone;
  std::uint32_t position = 0;
};

struct RankHistory {
  Rank rank;
  std::vector<Event> events;  // in the order in which the rank issued them
  // False when earlier events were overwritten: then an event that is not here may still have happened.
  bool begins_at_start = true;
  // False when the input was cut: then later events may have happened.
  bool reaches_end = true;
  std::uint64_t events_lost = 0;  // known to be lost since the first one that is here
  // The communicators this rank says it made. Meaningful only where it lists them at all.
  bool lists_communicators = false;
  std::vector<CommunicatorId> communicators;
  std::vector<Progress> progress;
  std::vector<StackSnapshot> snapshots;
  std::vector<Failure> failures;
  std::vector<SourceId> sources;  // the files that tell about this rank
};

}  // namespace lockstep::model
