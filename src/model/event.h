// One thing one rank did: a collective, a send or receive, or an activity around them.
//
// A job has millions of events, so the parts that repeat (the collective, the stack, the name) are kept once
// in Job and an event holds their ids.
#pragma once

#include <cstdint>
#include <limits>

#include "model/words.h"

namespace lockstep::model {

enum class CommunicatorId : std::uint32_t { kNone = std::numeric_limits<std::uint32_t>::max() };
enum class CollectiveId : std::uint32_t { kNone = std::numeric_limits<std::uint32_t>::max() };
enum class StackId : std::uint32_t { kNone = std::numeric_limits<std::uint32_t>::max() };
enum class NameId : std::uint32_t { kNone = std::numeric_limits<std::uint32_t>::max() };

enum class EventKind : std::uint8_t { kCollective, kPointToPoint, kActivity };

// How far a rank got with it, as far as the evidence says.
enum class EventState : std::uint8_t { kIssued, kStarted, kCompleted, kFailed };

inline constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();

struct Event {
  EventKind kind = EventKind::kCollective;
  EventState state = EventState::kIssued;
  Activity activity = Activity::kUnknown;  // for kActivity
  bool has_checksums = false;
  CommunicatorId communicator = CommunicatorId::kNone;
  // Collectives: the per-communicator number that is equal on all members. Sends and receives: the number per
  // communicator, peer and direction. Activities: the step or epoch number.
  std::uint64_t sequence = 0;
  CollectiveId collective = CollectiveId::kNone;
  NameId name = NameId::kNone;
  StackId stack = StackId::kNone;
  std::uint32_t thread = 0;
  std::int64_t begin_ns = kNoTime;  // wall clock of the rank's host
  std::int64_t end_ns = kNoTime;
  std::uint64_t input_checksum = 0;
  std::uint64_t output_checksum = 0;
};

}  // namespace lockstep::model
