// The functions of frameworks in which ranks meet, as a stack shows them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/finding_code.h"
#include "model/job.h"

namespace lockstep::ranks {

enum class Phase : std::uint8_t { kSetup, kPrepare, kTrain };

// A function in which ranks meet; an empty word fits all.
struct MeetingPlace {
  std::string_view file;
  std::string_view function;
  Phase phase;
};

// Null: the stack is somewhere else.
const MeetingPlace* meeting_place_of(const model::Stack& stack);

// What the stack waits in, as people call it: "all_reduce", "backward". Empty: it is in no such place.
std::string meeting_call_of(const model::Stack& stack);

model::Leaf leaf_of(Phase phase);

}  // namespace lockstep::ranks
