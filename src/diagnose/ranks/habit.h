// What a rank would have called next, had it gone on as before: training repeats itself, so the longest
// stretch of calls that happened before in the same way tells what follows it. Of two ranks that are at odds,
// the one that left its habit broke off.
#pragma once

#include <optional>

#include "diagnose/ranks/align.h"
#include "model/job.h"

namespace lockstep::ranks {

// True or false where what the rank called before that event happened before; nothing where it did not, as in
// the first steps. Linear in the rank's events.
std::optional<bool> follows_its_habit(const model::Job& job, EventPlace place);

// Whether, by its habit, the rank would call next what `other` is: another rank's call in the same place.
bool would_call_next(const model::Job& job, EventPlace place, EventPlace other);

}  // namespace lockstep::ranks
