// Sends and receives: which belong together, and which have no partner.
//
// Messages between two ranks of a communicator arrive in the order of their sending, so the n-th send meets
// the n-th receive. Where the rings of both ranks begin at the start (or their events are numbered) n is
// known; otherwise only what is still pending can be matched: what is finished has met its partner.
#pragma once

#include <cstdint>
#include <vector>

#include "diagnose/ranks/align.h"
#include "diagnose/ranks/hang/presence.h"
#include "diagnose/ranks/hang/wait.h"

namespace lockstep::ranks {

// A send and a receive that met and do not agree on what is sent.
struct MessageMismatch {
  model::CommunicatorId communicator = model::CommunicatorId::kNone;
  int sender = 0;
  int receiver = 0;
  std::uint64_t number = 0;  // of the messages from this sender to this receiver, from 1; 0 when not known
  EventPlace send;
  EventPlace receive;
};

struct PointToPoint {
  // The oldest pending message of each pair of ranks: one whose partner never posted its end of it, and one
  // that both posted.
  std::vector<Wait> waits;
  std::vector<MessageMismatch> mismatches;  // the first of each pair of ranks
};

// Linear in the number of sends and receives.
PointToPoint match_point_to_point(const model::Job& job, const PresenceTable& presence);

}  // namespace lockstep::ranks
