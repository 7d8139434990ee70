// Collectives that gave their members different results though they must give all the same.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "diagnose/ranks/align.h"
#include "model/finding.h"

namespace lockstep::ranks {

struct Divergence {
  Meeting meeting;             // the first one: no rank in it saw another before
  std::vector<int> odd_ranks;  // whose result differs from that of most members; ascending; empty at a tie
  std::vector<int> agreeing_ranks;  // those most members, or at a tie all members; ascending
  bool is_tie = false;              // no result has more members than every other
  std::optional<std::uint64_t> step;
  std::size_t meetings = 0;  // how many collectives gave different results, this one included

  EventPlace odd;    // an event with an odd result, or with one of the results at a tie
  EventPlace usual;  // one with another result
};

// Compares the recorded checksums of outputs; a checksum of 0 counts as not recorded. `alignment` must
// outlive the result.
std::optional<Divergence> find_divergence(const model::Job& job, const Alignment& alignment);

model::Finding finding_of(const model::Job& job, const Divergence& divergence);

}  // namespace lockstep::ranks
