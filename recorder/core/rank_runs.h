// Members of a communicator as runs first, first + step, ...: the way the format lists them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lockstep/record_format.h"

namespace lockstep::recorder {

// Returns how many runs were written; 0 when more than `most` are needed.
inline std::uint32_t rank_runs(const std::int32_t* members, std::uint32_t count, lockstep_rank_run* runs,
                               std::uint32_t most) {
  std::uint32_t used = 0;
  for (std::uint32_t i = 0; i < count;) {
    if (used == most) return 0;
    lockstep_rank_run& run = runs[used++];
    run = {members[i], 1, 1};
    if (i + 1 < count) run.step = members[i + 1] - members[i];
    while (i + run.count < count && members[i + run.count] - members[i + run.count - 1] == run.step) {
      ++run.count;
    }
    i += run.count;
  }
  return used;
}

}  // namespace lockstep::recorder
