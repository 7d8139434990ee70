// What is wrong with a running job, as the analysis of what ranks did sees it.
#pragma once

#include <cstdint>
#include <vector>

#include "model/finding.h"
#include "model/job.h"
#include "run/watch/live_job.h"
#include "run/watch/suspicion.h"

namespace lockstep::watch {

// What is read of each rank for a judgement, so that it takes about as long for thousands as for one.
struct EvidenceShare {
  std::size_t bytes = 0;   // of its newest records
  std::size_t events = 0;  // the newest; what is unfinished comes on top
};
EvidenceShare share_of_each(std::size_t ranks);

// A running job as the analysis knows jobs: the newest events of every rank, and which of their processes
// run. Calls that began less than `settled_ns` ago count as under way: a job that runs always waits
// somewhere.
model::Job evidence_of(const LiveJob& job, std::int64_t settled_ns);

// Ranks that wait for one another: over, once the job goes on.
bool is_about_waiting(const model::Finding& finding);

// Sure enough to be said of a running job that nothing decided yet.
bool is_likely(const model::Finding& finding);

// Findings that no longer waiting can take back: calls that do not fit, a circle, a rank that cannot come.
std::vector<model::Finding> decided_faults(const LiveJob& job);

// Ranks that called different things where they should have met.
std::vector<model::Finding> calls_that_differ(const LiveJob& job);

// What is to say of ranks whose processes are gone: who waits for them, or that they are.
std::vector<model::Finding> lost_ranks(const LiveJob& job);

// Who is late, where somebody has waited for `late_ns`; decided faults too.
std::vector<model::Finding> late_ranks(const LiveJob& job, std::int64_t late_ns);

// What shows in times and checksums: ranks that are slower than the others, results that differ.
std::vector<model::Finding> slow_or_diverged(const LiveJob& job);

}  // namespace lockstep::watch
