// Exit codes as Python's multiprocessing gives them: a negative one is a signal.
#pragma once

#include <cstdint>

#include "model/rank.h"

namespace lockstep::readers {

inline void set_end(std::int64_t exit_code, model::Rank& rank) {
  constexpr std::int64_t kLargest = 1 << 20;
  if (exit_code == 0 || exit_code < -kLargest || exit_code > kLargest) return;
  rank.end = exit_code < 0 ? model::RankEnd::kSignalled : model::RankEnd::kExited;
  rank.exit_status = static_cast<int>(exit_code < 0 ? -exit_code : exit_code);
}

}  // namespace lockstep::readers
