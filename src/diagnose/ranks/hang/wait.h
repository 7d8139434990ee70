// Who waits, in what, for whom: the raw material of every verdict about a hang.
#pragma once

#include <cstdint>
#include <vector>

#include "diagnose/ranks/align.h"
#include "diagnose/ranks/hang/presence.h"

namespace lockstep::ranks {

enum class WaitKind : std::uint8_t { kCollective, kSend, kReceive };

struct Wait {
  WaitKind kind = WaitKind::kCollective;
  model::CommunicatorId communicator = model::CommunicatorId::kNone;
  // The collective's number, or how many messages went before this one on its way; from 1.
  std::uint64_t sequence = 0;
  std::vector<EventPlace> waiting;  // unfinished events, ascending by rank
  std::vector<EventPlace> behind;   // of other ranks: unfinished later collectives of the same communicator
  std::vector<int> finished;        // members that came and are through
  std::vector<int> absent;          // members whose evidence shows that they did not come
  std::vector<int> silent;          // members that left no evidence
  std::vector<int> unknown;         // members whose evidence does not reach far enough

  bool misses_someone() const { return !absent.empty() || !silent.empty(); }
};

// Whether calls there run on a device in the order in which they were given to it, and their state is the
// device's. With other libraries a call may stay open because nobody asked for its end.
bool runs_on_a_device(const model::Job& job, model::CommunicatorId communicator);

// The oldest collective of each communicator that someone is still in. Later ones queue behind it.
//
// Watchdogs notice completion late, so an event that looks unfinished is not when its rank has finished a
// later one of the same communicator, or when anyone finished a later one that nobody can finish alone.
std::vector<Wait> find_collective_waits(const model::Job& job, const Alignment& alignment,
                                        const PresenceTable& presence);

}  // namespace lockstep::ranks
