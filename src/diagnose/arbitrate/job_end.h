// What a job's end, and how far it came, say about its findings.
#pragma once

#include <optional>
#include <vector>

#include "diagnose/arbitrate/story.h"
#include "model/finding.h"
#include "model/job.h"

namespace lockstep::diagnose {

JobFate fate_of(const model::Job& job);

// What whoever ran the job said of an end from outside, taken out of what was seen live.
std::optional<model::Finding> take_interruption(std::vector<model::Finding>& seen_live);

// Takes out printed failures of programs, packages and set-up: they would have ended a process, so a job that
// exited cleanly caught them; and guesses from the words of lines that no entry knows. What a job can suffer
// from without ending stays: slowness, results, how it uses its ranks.
void drop_caught_failures(std::vector<model::Finding>& from_logs);

}  // namespace lockstep::diagnose
