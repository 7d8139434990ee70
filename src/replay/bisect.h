// Finds the step at whose end something first holds, by replaying to few steps: each time in a process
// restored from the nearest image, or from the start.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"
#include "replay/checkpoint/image.h"
#include "replay/processes.h"
#include "replay/subject.h"

namespace lockstep::replay {

// The first step after `from`, up to `last`, at whose end it holds; none: it does not hold at the end of
// `last`. What holds once must hold from then on. Asks at most 1 + log2(last - from) times, rounded up.
Result<std::optional<std::uint64_t>> turning_step(std::uint64_t from, std::uint64_t last,
                                                  const std::function<Result<bool>(std::uint64_t)>& holds);

// Tells where it holds. The exit status: 0 found, 1 it holds nowhere.
Result<int> bisect_by_partial_replays(const Subject& subject, const Request& request,
                                      const std::vector<checkpoint::Image>& images, const Output& output);

}  // namespace lockstep::replay
