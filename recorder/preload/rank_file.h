// Opens the record file of a rank in the folder of the recording.
#pragma once

#include "lockstep/recorder.h"

#include "recorder/core/writer.h"
#include "settings.h"

namespace lockstep::recorder {

// Whether the adapter or the environment knows it.
bool is_rank_known(const lockstep_rank_facts& facts);

struct OpenedRank {
  std::int32_t rank = -1;
  std::int32_t world_size = -1;
  std::uint32_t restart = 0;
};

// Returns 0 or an errno. A file of the same rank and restart is never touched: a second program of the same
// rank under one recording counts as a further restart.
int open_rank_file(Writer& writer, const Settings& settings, const lockstep_rank_facts& facts,
                   OpenedRank& opened);

}  // namespace lockstep::recorder
