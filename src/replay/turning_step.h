// When something turned, by asking at few steps.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/result.h"

namespace lockstep::replay {

// The first step after `from`, up to `last`, at whose end it holds; none: it does not hold at the end of
// `last`. What holds once must hold from then on. Asks at most 1 + log2(last - from) times, rounded up.
Result<std::optional<std::uint64_t>> turning_step(std::uint64_t from, std::uint64_t last,
                                                  const std::function<Result<bool>(std::uint64_t)>& holds);

}  // namespace lockstep::replay
