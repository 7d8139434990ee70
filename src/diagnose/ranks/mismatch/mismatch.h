// Members of a communicator that called something else than the others under one number.
//
// Who is wrong is decided by majority; between equal numbers by who calls what none of them called before,
// then by who issued first, and said to be a tie. Never by the order of files. Only the first mismatch of a
// communicator counts: what follows it follows from it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "diagnose/ranks/align.h"
#include "diagnose/ranks/hang/point_to_point.h"
#include "diagnose/ranks/signature.h"
#include "model/finding.h"

namespace lockstep::ranks {

// The ranks that made one and the same call.
struct Side {
  Signature signature;
  std::vector<int> ranks;  // ascending
  EventPlace first;        // the event of the one who issued first
};

// How the odd ranks came to differ, where the calls that follow show it.
enum class Shift : std::uint8_t {
  kNone,
  kSkipped,  // they left out one call that the others made
  kExtra     // they made one call that the others did not
};

struct Mismatch {
  model::CommunicatorId communicator = model::CommunicatorId::kNone;
  std::uint64_t sequence = 0;
  Aspect aspect = Aspect::kOperation;
  std::vector<Side> sides;  // the reference first, then the odd ones by size
  bool is_tie = false;
  bool is_by_habit = false;  // of a tie: only the reference was called before
  bool is_pending = false;   // someone is still in it
  bool is_refused = false;   // the library noticed, and failed it at once for everybody
  Shift shift = Shift::kNone;
};

// At most one for each communicator, in the communicators' order. Linear in the number of events.
std::vector<Mismatch> find_mismatches(const model::Job& job, const Alignment& alignment);

model::Finding finding_of(const model::Job& job, const Mismatch& mismatch);
model::Finding finding_of(const model::Job& job, const MessageMismatch& mismatch);

}  // namespace lockstep::ranks
