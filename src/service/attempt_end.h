// What an attempt that is over left in its folder, and what follows from it.
#pragma once

#include "service/engine/attempt_folder.h"
#include "service/job/job.h"
#include "service/retry/retry_policy.h"

namespace lockstep::service {

// How it ended, as its supervisor wrote it down; or that nobody did.
void read_end(const AttemptFolder& folder, const Job& job, Attempt& attempt);

// A rank that saves when it is told to end may end well.
bool was_told_to_end(const Attempt& attempt);

// Of one that failed: whether there is another one, and what it does otherwise.
Decision decide(const AttemptFolder& folder, const Job& job, const Attempt& attempt);

}  // namespace lockstep::service
