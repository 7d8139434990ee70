// A rank's run in twenty parts, with what it waited in each.
#pragma once

#include <array>
#include <cstdint>

#include "model/event.h"

namespace lockstep::ranks {

inline constexpr std::size_t kRunParts = 20;  // with equally many events

// The beginning of a part, and both clocks then.
struct RunPart {
  std::int64_t begin_ns = model::kNoTime;
  double waited_ns = 0;        // for others: in synchronising collectives and receives
  double communicated_ns = 0;  // in any communication
};

struct RankRun {
  std::array<RunPart, kRunParts + 1> parts;  // and the end of the last
  std::size_t collectives = 0;               // synchronising ones, with times

  double span_ns() const {
    return parts.front().begin_ns == model::kNoTime
               ? 0
               : static_cast<double>(parts.back().begin_ns - parts.front().begin_ns);
  }
};

inline std::size_t run_part_of(std::size_t event, std::size_t events) {
  return event * kRunParts / events;
}

}  // namespace lockstep::ranks
