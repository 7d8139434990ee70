// How long each member of a communicator waited, stretch by stretch of the run.
//
// The members leave a synchronising collective together and come to the next at different times, so between
// two such collectives all have the same time and who worked longest has waited least: in this communicator
// and in all others. That needs no common clock, holds for evidence that has only durations, and clears a
// rank that comes late because it waited for another one elsewhere.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "diagnose/ranks/align.h"
#include "diagnose/ranks/timing/waiting_calls.h"
#include "model/event.h"

namespace lockstep::ranks {

// A rank's run in twenty parts, with what it waited in each.

inline constexpr std::size_t kRunParts = 20;  // with equally many events

// The beginning of a part, and both clocks then.
struct RunPart {
  std::int64_t begin_ns = model::kNoTime;
  double waited_ns = 0;        // for others: in synchronising collectives and receives
  double communicated_ns = 0;  // in any communication
};

struct RankRun {
  std::array<RunPart, kRunParts + 1> parts;  // and the end of the last
  std::size_t collectives = 0;               // synchronising ones, with times

  double span_ns() const {
    return parts.front().begin_ns == model::kNoTime
               ? 0
               : static_cast<double>(parts.back().begin_ns - parts.front().begin_ns);
  }
};

inline std::size_t run_part_of(std::size_t event, std::size_t events) {
  return event * kRunParts / events;
}

// A rank at the beginning of a window: when it came to the collective there, what it had waited till then.
struct WindowMark {
  double waited_ns = 0;
  std::int64_t begin_ns = 0;
  std::uint32_t calls =
      0;  // of this communicator, before this one; 0 marks a collective that it did not call
  std::uint32_t event = 0;  // in RankHistory::events
};

struct WaitWindows {
  model::CommunicatorId communicator = model::CommunicatorId::kNone;
  std::size_t cycles = 0;                // how often its pattern of calls comes again
  std::vector<std::uint64_t> sequences;  // of the collectives between which the windows lie
  std::vector<std::uint32_t> meetings;   // how many synchronising ones come before each of those
  std::vector<std::uint32_t> ranks;      // indices into Job::ranks, ascending
  std::vector<WindowMark> marks;         // by rank, then by collective

  std::size_t count() const { return sequences.empty() ? 0 : sequences.size() - 1; }
  const WindowMark& mark(std::size_t rank, std::size_t at) const {
    return marks[rank * sequences.size() + at];
  }
  // Whether the rank's record of the window has no gap.
  bool is_whole(std::size_t rank, std::size_t window) const;
  double waited_ns(std::size_t rank, std::size_t window) const;
  double length_ns(std::size_t rank, std::size_t window) const;
};

// Lays out the windows of a job's communicators and takes the marks of one rank after the other.
class WindowMarker {
 public:
  // Communicators with too few collectives to compare get no windows.
  WindowMarker(const model::Job& job, const Alignment& alignment, const WaitingCalls& calls);

  // The rank comes to a synchronising collective, having waited that long till then. Ranks ascend.
  void arrive(EventPlace place, const model::Event& event, std::uint32_t meeting, double waited_ns) {
    if (role_of_meeting_[meeting] != kNotCounted) count_arrival(place, event, meeting, waited_ns);
  }

  std::vector<WaitWindows> take() { return std::move(windows_); }

 private:
  // Where the rank that is being walked stands in a communicator.
  struct Here {
    std::size_t windows = 0;
    std::uint32_t rank = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t meeting = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t calls = 0;
  };
  static constexpr std::uint8_t kNotCounted = 255;
  static constexpr std::uint8_t kInsideWindow = 254;

  void lay_out(model::CommunicatorId communicator, std::span<const std::uint32_t> comparable,
               std::size_t cycles, const Alignment& alignment);
  void count_arrival(EventPlace place, const model::Event& event, std::uint32_t meeting, double waited_ns);

  std::vector<std::uint8_t> role_of_meeting_;  // kNotCounted, kInsideWindow, or which mark it is
  std::vector<WaitWindows> windows_;
  std::vector<Here> here_;  // by communicator
};

}  // namespace lockstep::ranks
