// All ranks in one line, from the first to the last: a cell stands for equally many ranks and shows the one
// that needs a look most.
#pragma once

#include <vector>

#include "run/watch/snapshot.h"
#include "top/line.h"
#include "top/rows/standing.h"

namespace lockstep::top {

// `standings` are those of the snapshot's ranks, of which there is at least one.
Line strip_line(const watch::Snapshot& snapshot, const std::vector<Standing>& standings, int columns);

}  // namespace lockstep::top
