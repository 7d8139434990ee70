// Who showed first what all ranks show in the end, by the steps that their lines name.
#pragma once

#include <set>
#include <span>

#include "diagnose/logs/candidate.h"
#include "diagnose/logs/log_text.h"

namespace lockstep::logs {

// A value that is no number spreads from one rank to all of them in the next exchange, so the rank that
// prints it in an earlier step than the others has it from nobody. Empty where a line names no step or rank,
// or no rank is earlier than another.
std::set<int> first_by_step(const Candidate& candidate, std::span<const LogText> logs);

}  // namespace lockstep::logs
