// The part of a rank's history in which it trains: from its first recorded step to its last.
#pragma once

#include <cstdint>
#include <optional>

#include "model/job.h"

namespace lockstep::ranks {

struct StepSpan {
  std::size_t first = 0;  // index of the event of the first step, and
  std::size_t last = 0;   // of the last
  std::uint64_t count = 0;
};

std::optional<StepSpan> step_span_of(const model::RankHistory& history);

}  // namespace lockstep::ranks
