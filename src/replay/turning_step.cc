#include "replay/turning_step.h"

namespace lockstep::replay {

Result<std::optional<std::uint64_t>> turning_step(std::uint64_t from, std::uint64_t last,
                                                  const std::function<Result<bool>(std::uint64_t)>& holds) {
  if (last <= from || !TRY(holds(last))) return std::optional<std::uint64_t>();
  while (last - from > 1) {
    const std::uint64_t middle = from + (last - from) / 2;
    if (TRY(holds(middle))) {
      last = middle;
    } else {
      from = middle;
    }
  }
  return std::optional<std::uint64_t>(last);
}

}  // namespace lockstep::replay
