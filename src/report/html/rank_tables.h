// What the page shows rank by rank: how long each training step took, and where results differ that must be
// equal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/job.h"

namespace lockstep::html {

// Results of one collective that must be equal on all ranks.
struct ChecksumRow {
  std::string group;
  std::uint64_t sequence = 0;
  // By index into Job::ranks: 0 no checksum here, 1 the result of most, 2 and more the others.
  std::vector<std::uint8_t> results;
};

// The collectives around the first one that gave different results.
struct ChecksumMap {
  std::size_t compared = 0;  // collectives with checksums of two ranks at least
  std::size_t parted = 0;    // that gave different results
  std::vector<ChecksumRow> rows;
};

// None where no checksums were recorded.
std::optional<ChecksumMap> checksum_map_of(const model::Job& job, std::size_t max_rows = 120);

// How long each step took a rank.
struct StepTimes {
  int rank = 0;
  std::uint64_t first_step = 0;
  std::uint64_t steps_each = 1;     // a value is the mean of so many steps
  std::vector<float> milliseconds;  // negative: not recorded
};

// Ranks that recorded steps, ascending; at most `max_values` for each.
std::vector<StepTimes> step_times_of(const model::Job& job, std::size_t max_values);

}  // namespace lockstep::html
