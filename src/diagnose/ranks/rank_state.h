// What a rank is doing instead of being where the others wait for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/finding.h"
#include "model/job.h"

namespace lockstep::ranks {

enum class Place : std::uint8_t {
  kNoEvidence,  // it left nothing
  kDead,        // killed, crashed, or no longer reachable
  kStopped,     // its process is there and is not allowed to run
  kFailed,      // it reported an error of its own
  kEnded,       // it came to a clean end
  kCheckpoint,  // saving or loading one
  kDataLoading,
  kCompiling,
  kEvaluating,
  kCommunicating,  // in a communication call
  kElsewhere       // computing, or somewhere nothing tells about
};

struct RankState {
  Place place = Place::kElsewhere;
  std::string words;  // "it waits for its data loader": a clause for a sentence
  std::optional<model::Evidence> evidence;
};

// The code of a fault that is a rank's being there, whatever call the others wait for it in; none for other
// places.
std::string_view code_for(Place place);

RankState rank_state_of(const model::Job& job, int rank);

// Where its main thread stood when somebody took its stack: "train.py:42 in load_batch < train.py:80 in
// main".
std::optional<model::Evidence> stack_of(const model::Job& job, int rank);

// The line of the user's code where it stood then.
std::optional<model::CodePlace> stack_place(const model::Job& job, int rank);

}  // namespace lockstep::ranks
