// One image of a process that stands still.
#pragma once

#include <cstdint>
#include <filesystem>
#include <sys/types.h>

#include "base/result.h"
#include "replay/checkpoint/criu.h"
#include "replay/checkpoint/rooms.h"
#include "replay/checkpoint/shared_pages.h"
#include "replay/orders.h"
#include "replay/stop.h"

namespace lockstep::checkpoint {

// A process that is frozen again and again.
struct Freezing {
  Criu criu;
  std::filesystem::path images;     // made when the first one is taken
  std::filesystem::path recording;  // the replay's own
  std::filesystem::path replayed;
  int rank = 0;
  replay::Orders orders;  // in its recording
};

// Its size on the disk, without what it shares with the image before. The process still stands afterwards;
// when it fails nothing of the image is left.
Result<std::uint64_t> freeze(pid_t pid, const replay::Stop& stop, const Outlets& outlets,
                             const Freezing& freezing, SharedPages& shared);

}  // namespace lockstep::checkpoint
