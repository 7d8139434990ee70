// What adapters could not record of a job, for the people who ran it: each thing once, whatever the number of
// ranks.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "run/watch/live_rank.h"

namespace lockstep::supervise {

// From the ranks' records, and from processes that have none.
std::vector<std::string> adapter_notes(const std::filesystem::path& recording,
                                       std::span<const watch::LiveRank* const> ranks);

// Adds those of "pid 17: JAX is not hooked" lines that are not there yet.
void add_notes_of_processes(std::string_view lines, std::vector<std::string>& notes);

}  // namespace lockstep::supervise
