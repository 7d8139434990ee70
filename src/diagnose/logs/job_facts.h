// What the logs say about the job itself, for the head of a report.
#pragma once

#include "diagnose/logs/context.h"
#include "diagnose/logs/line_sources.h"
#include "model/finding.h"

namespace lockstep::logs {

model::JobSummary job_facts(const Context& context, const LineSources& sources);

}  // namespace lockstep::logs
