// Ranks that died or failed by themselves, told apart from those that were ended because of them.
#pragma once

#include <optional>
#include <vector>

#include "model/finding.h"
#include "model/job.h"

namespace lockstep::ranks {

// The earliest error the rank reported; one whose time is not known counts as later than those that have one.
// Null when it reported none.
const model::Failure* first_failure(const model::RankHistory& history);

// By a signal with which launchers end the ranks that are left, and without a word of its own.
bool was_told_to_end(const model::RankHistory& history);

// It ended because a collective was given up, and has no word of its own about it: the others are the reason.
bool was_let_down(const model::RankHistory& history);

// One finding for all: the first to fail is the root. None when every rank is well, or when those that ended
// were only told to. Of `victims`, ranks that other findings tell to have waited in vain, an error of the
// call they waited in is no failure of their own.
std::optional<model::Finding> find_failed_ranks(const model::Job& job, const std::vector<int>& victims = {});

}  // namespace lockstep::ranks
