// Training whose ranks all bring the same bytes to every reduction: each of them works on the same samples,
// and more ranks do not do more.
#pragma once

#include <optional>

#include "diagnose/ranks/align.h"
#include "model/finding.h"

namespace lockstep::ranks {

// Compares the recorded checksums of inputs; a checksum of 0 counts as not recorded. Only reductions of many
// numbers in a job that trains are asked: small ones carry counts and flags that are the same by right.
std::optional<model::Finding> find_same_inputs(const model::Job& job, const Alignment& alignment);

}  // namespace lockstep::ranks
