// What the passes about speed need of the events' times, from one walk over them.
#pragma once

#include <optional>
#include <vector>

#include "diagnose/ranks/align.h"
#include "diagnose/ranks/timing/wait_windows.h"
#include "model/finding.h"

namespace lockstep::ranks {

struct Timings {
  std::vector<WaitWindows> windows;
  std::vector<RankRun> runs;  // by index into Job::ranks
  // By index into Alignment::meetings(): how long its data was on the way, which is the time of the member
  // that came last and waited for nobody. 0 where no synchronising collective with times tells.
  std::vector<float> transfers_ns;
};

Timings measure_timings(const model::Job& job, const Alignment& alignment);

// Steps that take longer and longer because every rank has more and more to do in them: a list that is never
// emptied, a graph that is never let go.

std::optional<model::Finding> find_growing_work(const model::Job& job, const Timings& timings);

}  // namespace lockstep::ranks
