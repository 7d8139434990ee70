// That an attempt is to end, written down: whoever begins it later, or takes it over, finds it.
#pragma once

#include "base/result.h"
#include "service/engine/attempt_folder.h"

namespace lockstep::service {

Result<void> note_end_asked(const AttemptFolder& folder);
bool is_end_asked(const AttemptFolder& folder);

}  // namespace lockstep::service
