// What a replayed process is told besides its environment: where it stops, and what it does there. A file of
// its own recording, because a process that is restored from an image has the environment of the one that was
// frozen.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"

namespace lockstep::replay {

struct Orders {
  std::uint64_t image_every = 0;  // it stands still after every so many steps, to be frozen
  std::uint64_t to_step = 0;      // it ends after so many; 0: at its own end
  std::string predicate = {};     // or after the first step at whose end this holds
  bool only_asks = false;         // ... which is asked after `to_step` alone, and there it ends at once
  std::filesystem::path saves_parameters_to = {};  // at the end of `to_step`
  std::filesystem::path patch = {};                // Python that runs when it goes on from an image
  int copy = 0;                                    // its number among copies of one image
  std::string break_at = {};                       // as the recorder reads it

  bool operator==(const Orders&) const = default;
};

std::string encode_orders(const Orders& orders);

Result<void> write_orders(const std::filesystem::path& recording, const Orders& orders);

}  // namespace lockstep::replay
