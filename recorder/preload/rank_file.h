// Opens the record file of a rank in the folder of the recording.
#pragma once

#include "lockstep/recorder.h"

#include "recorder/core/writer.h"
#include "settings.h"

namespace lockstep::recorder {

// Whether the adapter or the environment knows it.
bool is_rank_known(const lockstep_rank_facts& facts);

// Returns 0 or an errno. A file of the same rank and restart is never touched: a second program of the same
// rank under one recording counts as a further restart.
int open_rank_file(Writer& writer, const Settings& settings, const lockstep_rank_facts& facts);

}  // namespace lockstep::recorder
