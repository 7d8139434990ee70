// What the logs say about the job itself, for the head of a report.
#pragma once

#include "model/finding.h"
#include "symptoms/context.h"
#include "symptoms/line_sources.h"

namespace lockstep::symptoms {

model::JobSummary job_facts(const Context& context, const LineSources& sources);

}  // namespace lockstep::symptoms
