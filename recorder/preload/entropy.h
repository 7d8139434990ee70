// What the process took from the system's random bytes before it became a rank goes into its payload.
#pragma once

#include "recorder/core/payload_keeper.h"

namespace lockstep::recorder {

void hand_over_entropy(PayloadKeeper& keeper);

}  // namespace lockstep::recorder
