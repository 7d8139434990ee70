// How long each training step took each rank.
#pragma once

#include <cstdint>
#include <vector>

#include "model/job.h"

namespace lockstep::html {

struct StepTimes {
  int rank = 0;
  std::uint64_t first_step = 0;
  std::uint64_t steps_each = 1;     // a value is the mean of so many steps
  std::vector<float> milliseconds;  // negative: not recorded
};

// Ranks that recorded steps, ascending; at most `most_values` for each.
std::vector<StepTimes> step_times_of(const model::Job& job, std::size_t most_values);

}  // namespace lockstep::html
