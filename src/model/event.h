// One thing one rank did: a collective, a send or receive, or an activity around them.
//
// A job has millions of events, so the parts that repeat (the collective, the stack, the name) are kept once
// in Job and an event holds their ids.
#pragma once

#include <cstdint>
#include <limits>

#include "model/collective.h"

namespace lockstep::model {

enum class CommunicatorId : std::uint32_t { kNone = std::numeric_limits<std::uint32_t>::max() };
enum class CollectiveId : std::uint32_t { kNone = std::numeric_limits<std::uint32_t>::max() };
enum class StackId : std::uint32_t { kNone = std::numeric_limits<std::uint32_t>::max() };
enum class NameId : std::uint32_t { kNone = std::numeric_limits<std::uint32_t>::max() };
enum class ChecksumsId : std::uint32_t { kNone = std::numeric_limits<std::uint32_t>::max() };
enum class SourceId : std::uint32_t { kNone = std::numeric_limits<std::uint32_t>::max() };

enum class EventKind : std::uint8_t { kCollective, kPointToPoint, kActivity };

// How far a rank got with it, as far as the evidence says.
enum class EventState : std::uint8_t {
  kUntracked,  // issued; this kind of evidence cannot tell more
  kIssued,     // not begun on the device, or begun and not yet seen to
  kStarted,
  kCompleted,
  kFailed  // given up: timed out or aborted
};

inline constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();
inline constexpr std::uint64_t kNoSequence = std::numeric_limits<std::uint64_t>::max();

struct Event {
  EventKind kind = EventKind::kCollective;
  EventState state = EventState::kUntracked;
  Activity activity = Activity::kUnknown;  // for kActivity
  bool only_duration = false;              // the times tell how long it took, not when it was
  CommunicatorId communicator = CommunicatorId::kNone;
  // Collectives: the per-communicator number that is equal on all members; several events of one rank share
  // it when they were coalesced. Sends and receives: the number per communicator, peer and direction, or
  // kNoSequence: then only their order tells. Activities: the step or epoch number.
  std::uint64_t sequence = kNoSequence;
  CollectiveId collective = CollectiveId::kNone;
  NameId name = NameId::kNone;  // the foreign name of the operation, or the tensor's
  StackId stack = StackId::kNone;
  std::uint32_t thread = 0;
  std::int64_t begin_ns = kNoTime;  // wall clock of the rank's host
  std::int64_t end_ns = kNoTime;
  ChecksumsId checksums = ChecksumsId::kNone;
  SourceId source = SourceId::kNone;
  std::uint32_t position = 0;  // the line in the source, or the number of the entry; from 1, 0: not known
};

inline bool is_unfinished(const Event& event) {
  return event.state != EventState::kCompleted && event.state != EventState::kUntracked;
}

}  // namespace lockstep::model
