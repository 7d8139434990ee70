// Collectives that gave their members different results though they must give all the same.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "diagnose/ranks/align.h"
#include "model/finding.h"
#include "model/job.h"

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

// Ranks that no longer have the same model, though the framework keeps it equal on all of them.

// Compares the recorded sums of parameters and of buffers that nobody synchronises, step by step. Ranks that
// average their models from time to time differ in between and agree again, so only a difference that lasts
// counts.
std::optional<model::Finding> find_model_drift(const model::Job& job);

// Training whose ranks all bring the same bytes to every reduction: each of them works on the same samples,
// and more ranks do not do more.

// Compares the recorded checksums of inputs; a checksum of 0 counts as not recorded. Only reductions of many
// numbers in a job that trains are asked: small ones carry counts and flags that are the same by right.
std::optional<model::Finding> find_same_inputs(const model::Job& job, const Alignment& alignment);

}  // namespace lockstep::ranks
