// A recorded job that was ended from outside while nothing was wrong with it.
#pragma once

#include <optional>
#include <vector>

#include "model/finding.h"

namespace lockstep::diagnose {

// What whoever ran the job said of that, taken out of what was seen live.
std::optional<model::Finding> take_interruption(std::vector<model::Finding>& seen_live);

// Waits and losses that the records show are then the end itself.
void drop_what_the_end_left(std::vector<model::Finding>& from_ranks);

// A launcher that hears of a worker's failure says so; one that was told to end had them all. Ranks are gone
// because it was, and what they waited for at that moment is no hang unless somebody saw them wait before.
void fold_into_the_signal(std::vector<model::Finding>& from_ranks, bool was_seen_live,
                          std::vector<model::Finding>& from_logs);

}  // namespace lockstep::diagnose
