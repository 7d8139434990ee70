// What the ranks did over time, as the page draws it: all clocks made one, every collective joined over its
// ranks, and no more spans than a browser moves at sixty frames a second.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/job.h"

namespace lockstep::html {

enum class SpanKind : std::uint8_t {
  kCollective,  // one that has a meeting
  kCall,        // a send, a receive, or a collective without a number
  kActivity,
  kRun  // many old calls folded into one span
};

inline constexpr std::uint32_t kNoMeeting = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint32_t kNoText = std::numeric_limits<std::uint32_t>::max();

// Times are microseconds since the start of the timeline.
struct Span {
  SpanKind kind = SpanKind::kCollective;
  model::EventState state = model::EventState::kCompleted;
  std::int64_t begin_us = 0;
  std::int64_t end_us = 0;  // what is not finished lasts to the end
  std::uint32_t meeting = kNoMeeting;
  std::uint32_t label = kNoText;  // into labels
  std::uint32_t site = kNoText;   // into sites: where in the user's program
  std::uint64_t number = 0;       // of a step or epoch; of calls in a run
  std::int64_t waiting_us = 0;    // in a run
  std::int64_t transfer_us = 0;   // in a run
};

struct TimelineMeeting {
  std::uint32_t communicator = 0;
  std::uint64_t sequence = 0;
  std::uint32_t label = kNoText;  // what most of its ranks brought
  // Until then whoever came waits for others: the last arrival. Never: someone did not come. 0 where the
  // operation lets ranks leave before others come.
  std::int64_t all_came_us = 0;
};
inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// Where a rank's process came to its end: nothing it seems to do later is work.
struct RankStop {
  std::int64_t at_us = 0;
  std::string words;     // "exited 1", "killed by SIGKILL"
  bool was_bad = false;  // it failed, and was not told to end
};

struct TimelineRank {
  int rank = 0;
  std::int64_t clock_ahead_ns = 0;  // of the timeline's
  std::vector<Span> spans;          // ascending by begin
  std::optional<RankStop> stop = {};
  std::uint64_t calls_folded = 0;  // into runs
};

struct TimelineGroup {
  std::string name;
  std::vector<int> members;  // global ranks; empty when nothing tells
};

struct Timeline {
  std::int64_t begin_ns = 0;   // wall clock
  std::int64_t seen_us = 0;    // to the last thing that is known
  std::int64_t length_us = 0;  // somewhat more, in which what never ended can be seen
  std::vector<std::string> labels;
  std::vector<std::string> sites;
  std::vector<TimelineGroup> groups;  // by communicator
  std::vector<TimelineMeeting> meetings;
  std::vector<TimelineRank> ranks;       // by index into Job::ranks
  std::size_t ranks_with_own_clock = 0;  // that no collective joins to the others

  bool is_empty() const { return length_us == 0; }
};

Timeline timeline_of(const model::Job& job, std::uint64_t max_spans = 2'200'000);

// Of the span's time, what was spent waiting for others, in microseconds.
std::int64_t waiting_in(const Span& span, std::span<const TimelineMeeting> meetings);

// Folds old calls into runs, which keep how many there were and how much of their time went to waiting and to
// transfer, until at most `max_spans` are left (two at least). The newest stay, since faults show at the end.
// Returns how many calls went into runs.
std::uint64_t fold_old_spans(std::vector<Span>& spans, std::span<const TimelineMeeting> meetings,
                             std::uint64_t max_spans);

// The spans of a timeline as bytes: about five for each instead of a hundred in JSON. page/src/data/spans.ts
// reads them.
//
// Numbers are LEB128; a signed one is zigzag-coded first. A rank is its count of spans and then, for each:
//
//     head      kind | state << 2 | (has a site) << 5 | (label is not its meeting's) << 6
//     begin     signed, since the begin before
//     length    end - begin
//     by kind   collective: meeting, signed, since the one after the last; then label where it is its own
//               call: label      activity: label, number      run: calls, waiting, transfer
//     site      where there is one
std::string span_bytes(const Timeline& timeline);

}  // namespace lockstep::html
