// What a job that came to a good end got over.
#pragma once

#include <vector>

#include "model/finding.h"
#include "model/job.h"

namespace lockstep::diagnose {

// All ranks of the world were recorded and ended with status 0.
bool all_ended_well(const model::Job& job);

// Takes out printed failures of programs, packages and set-up: they would have ended a process, so whoever
// ended well caught them; and guesses from the words of lines that no entry knows. What a job can suffer from
// without ending stays: slowness, results, how it uses its ranks.
void drop_what_they_got_over(std::vector<model::Finding>& from_logs);

}  // namespace lockstep::diagnose
