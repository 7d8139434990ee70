// Ranks whose own logs say that they came to their end: what they printed on the way, they got over.
#pragma once

#include <set>
#include <span>

#include "diagnose/logs/line_sources.h"
#include "diagnose/logs/log_text.h"

namespace lockstep::logs {

// Each of them has a log, its own or one of several ranks, in which its last line says so. Standard output
// tells it, while an error that was caught and logged is the last line of standard error for ever.
std::set<int> ranks_that_said_done(std::span<const LogText> logs, const LineSources& sources);
bool every_rank_said_done(std::span<const LogText> logs, const LineSources& sources,
                          const std::set<int>& ranks);

}  // namespace lockstep::logs
