// The cross-rank analysis as a list of steps: a merged job in, findings out, most likely first.
#pragma once

#include <vector>

#include "diagnose/ranks/align.h"
#include "model/finding.h"
#include "model/job.h"

namespace lockstep::ranks {

// What the times and values of a job tell: findings about speed and results.
std::vector<model::Finding> find_performance_faults(const model::Job& job, const Alignment& alignment);

// A pure function of the job. Linear in its events.
struct Analysis {
  std::vector<model::Finding> findings;
  std::vector<model::Decision>
      decisions;  // what one finding meant for another; the arbitration goes on from it
};
Analysis analyse_with_reasons(const model::Job& job);

std::vector<model::Finding> analyse(const model::Job& job);  // the findings alone

}  // namespace lockstep::ranks
