// A place in a replay at which it stands still: before a collective of a step.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/words.h"

namespace lockstep::replay {

struct Breakpoint {
  std::uint64_t step = 0;                                   // the first is 1
  model::Operation operation = model::Operation::kUnknown;  // unknown: any
  std::uint64_t sequence = 0;  // in its communicator; 0: the first one of the step

  bool operator==(const Breakpoint&) const = default;
};

// "12:all_reduce", "12:all_reduce#17", "12:17".
Result<Breakpoint> parse_breakpoint(std::string_view typed);

// As the recorder reads it: "12:1:17".
std::string for_recorder(const Breakpoint& breakpoint);

// "all_reduce 17 of step 12"
std::string in_words(const Breakpoint& breakpoint);

}  // namespace lockstep::replay
