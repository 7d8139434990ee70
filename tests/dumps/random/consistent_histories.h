// Who can have been the culprit, going by the dumps alone: every history with few faults is run, and those
// that leave the same dumps remain.
//
// What takes the fewest events counts: faults, and dumps that are missing though their rank is not dead. One
// set of culprits: the dumps decide it. Several: it cannot be known, and nobody who is not in all of them may
// be accused.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "recorder_dump.h"

namespace lockstep::dumps {

struct Culprits {
  std::set<std::vector<int>> sets;  // of the histories with the fewest events, each ascending
  std::set<int> alike;              // whose calls do not fit, with nothing to tell which of them is odd
  bool is_decided() const { return sets.size() == 1; }
  std::vector<int> in_all() const;
};

// None where too many pairs of faults would have to be tried.
std::optional<Culprits> consistent_culprits(const MeshJob& job, const std::vector<std::optional<Dump>>& dumps,
                                            const DumpKind& kind);

}  // namespace lockstep::dumps
