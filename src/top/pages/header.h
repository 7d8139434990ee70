// The lines above every page: the job, how it goes, a strip of all ranks, and the verdict when there is one.
#pragma once

#include <vector>

#include "top/line.h"
#include "top/view_state.h"

namespace lockstep::top {

std::vector<Line> header_lines(const Scene& scene);

}  // namespace lockstep::top
