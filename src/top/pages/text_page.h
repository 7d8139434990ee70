// Pages that are text: one rank, who waits for whom, the keys. Longer ones are scrolled.
#pragma once

#include <vector>

#include "top/line.h"
#include "top/view_state.h"

namespace lockstep::top {

// Everything known about one rank.
std::vector<Line> rank_page(const Scene& scene, int rank);

// What the watcher has found, and who waits for whom.
std::vector<Line> waits_page(const Scene& scene);

std::vector<Line> help_page();

}  // namespace lockstep::top
