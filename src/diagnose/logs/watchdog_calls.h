// What PyTorch's watchdog says each rank was in when it gave up: ranks that stand at the same number in
// different operations do not wait for a slow one, they made different calls.
#pragma once

#include <span>
#include <vector>

#include "catalogue/catalogue.h"
#include "diagnose/logs/candidate.h"
#include "model/finding.h"

namespace lockstep::logs {

// Where the complaint's lines show it, `finding` becomes that of calls that do not fit: the odd ranks are its
// roots. Its evidence stays, a line of an odd rank first.
void describe_calls_that_differ(const catalogue::Catalogue& catalogue, std::span<const LogText> logs,
                                const Candidate& complaint, model::Finding& finding);

}  // namespace lockstep::logs
