// How this process was started, into the payload: its arguments, the environment it began with, its folder,
// its file.
#pragma once

#include "recorder/core/payload_keeper.h"

namespace lockstep::recorder {

void note_process_texts(PayloadKeeper& keeper);

}  // namespace lockstep::recorder
