// A rank that is gone, as those know it who were connected with it: a process that ends closes its
// connections.
#pragma once

#include "model/job.h"

namespace lockstep::ranks {

// It said no goodbye, nothing tells whether it lives, and the first error that any other rank reports is that
// a connection was closed. Ranks that are only late make the others run out of time instead.
bool is_first_missed_by_its_peers(const model::Job& job, const model::RankHistory& history);

// Its own first error is that it lost a connection, after another rank had failed: an echo of that one.
bool only_lost_its_peers(const model::Job& job, const model::RankHistory& history);

}  // namespace lockstep::ranks
