// Old calls of a rank that has too many of them, folded into runs: how many there were, and how much of the
// time went to waiting and to transfer. The newest stay as they are, since faults show at the end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "report/html/timeline.h"

namespace lockstep::html {

// Of the span's time, what was spent waiting for others, in microseconds.
std::int64_t waiting_in(const Span& span, std::span<const TimelineMeeting> meetings);

// At most `most` spans are left (two at least). Returns how many calls went into runs.
std::uint64_t fold_old_spans(std::vector<Span>& spans, std::span<const TimelineMeeting> meetings,
                             std::uint64_t most);

}  // namespace lockstep::html
