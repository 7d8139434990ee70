// Where results that must be equal on all ranks part: the collectives around the first that gave different
// ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/job.h"

namespace lockstep::html {

struct ChecksumRow {
  std::string group;
  std::uint64_t sequence = 0;
  // By index into Job::ranks: 0 no checksum here, 1 the result of most, 2 and more the others.
  std::vector<std::uint8_t> results;
};

struct ChecksumMap {
  std::size_t compared = 0;  // collectives with checksums of two ranks at least
  std::size_t parted = 0;    // that gave different results
  std::vector<ChecksumRow> rows;
};

// None where no checksums were recorded.
std::optional<ChecksumMap> checksum_map_of(const model::Job& job, std::size_t most_rows = 120);

}  // namespace lockstep::html
