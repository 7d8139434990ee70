// Ranks that have worked together were connected: what they print of connections afterwards is how they
// noticed the end of another.
#pragma once

#include <vector>

#include "model/finding.h"
#include "model/job.h"

namespace lockstep::diagnose {

// Whether every rank of several has finished a collective.
bool all_have_met(const model::Job& job);

// Puts an error that a rank printed about itself before failures to set communication up.
void put_setup_behind_errors(std::vector<model::Finding>& from_logs);

}  // namespace lockstep::diagnose
