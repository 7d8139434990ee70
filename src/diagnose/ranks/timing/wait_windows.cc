#include "diagnose/ranks/timing/wait_windows.h"

#include <algorithm>
#include <unordered_map>

#include "diagnose/ranks/thresholds.h"

namespace lockstep::ranks {
namespace {

using model::CollectiveId;
using model::Event;
using model::Job;

bool joins_ranks(const Meeting& meeting) {
  return meeting.arrivals.front().rank != meeting.arrivals.back().rank;
}

// How often each collective is used. Runs of the same are counted before they are looked up.
class Uses {
 public:
  void add(CollectiveId collective) {
    if (collective != last_) flush(collective);
    ++run_;
  }

  // A training step repeats its calls. The rarest of those that come often enough to compare comes about once
  // in a step.
  std::size_t cycles(std::size_t meetings) {
    flush(CollectiveId::kNone);
    std::size_t cycles = meetings;
    for (const auto& use : count_) {
      if (use.second >= kMinMeetingsToCompare) cycles = std::min(cycles, use.second);
    }
    return cycles;
  }

 private:
  void flush(CollectiveId next) {
    if (run_ > 0) count_[last_] += run_;
    run_ = 0;
    last_ = next;
  }

  CollectiveId last_ = CollectiveId::kNone;
  std::size_t run_ = 0;
  std::unordered_map<CollectiveId, std::size_t> count_;
};

}  // namespace

bool WaitWindows::is_whole(std::size_t rank, std::size_t window) const {
  const WindowMark& first = mark(rank, window);
  const WindowMark& next = mark(rank, window + 1);
  return first.calls > 0 && next.calls > 0 &&
         next.calls - first.calls == meetings[window + 1] - meetings[window];
}

double WaitWindows::waited_ns(std::size_t rank, std::size_t window) const {
  return mark(rank, window + 1).waited_ns - mark(rank, window).waited_ns;
}

double WaitWindows::length_ns(std::size_t rank, std::size_t window) const {
  return static_cast<double>(mark(rank, window + 1).begin_ns - mark(rank, window).begin_ns);
}

WindowMarker::WindowMarker(const Job& job, const Alignment& alignment, const WaitingCalls& calls)
    : role_of_meeting_(alignment.meetings().size(), kNotCounted), here_(job.communicators.size()) {
  std::uint32_t index = 0;
  std::vector<std::uint32_t> comparable;
  for (std::size_t at = 0; at < job.communicators.size(); ++at) {
    const auto communicator = static_cast<model::CommunicatorId>(at);
    comparable.clear();
    Uses uses;
    for (const Meeting& meeting : alignment.meetings_of(communicator)) {
      const Event& event = event_at(job, meeting.arrivals.front());
      if (calls.is_synchronising(event) && joins_ranks(meeting)) {
        comparable.push_back(index);
        uses.add(event.collective);
      }
      ++index;
    }
    if (comparable.size() < kMinMeetingsToCompare) continue;
    lay_out(communicator, comparable, uses.cycles(comparable.size()), alignment);
  }
}

void WindowMarker::lay_out(model::CommunicatorId communicator, std::span<const std::uint32_t> comparable,
                           std::size_t cycles, const Alignment& alignment) {
  here_[static_cast<std::size_t>(communicator)].windows = windows_.size();
  WaitWindows windows;
  windows.communicator = communicator;
  windows.cycles = cycles;
  const std::size_t last = comparable.size() - 1;
  const std::size_t count = std::min({kMaxWindows, cycles, last});
  for (const std::uint32_t meeting : comparable) role_of_meeting_[meeting] = kInsideWindow;
  for (std::size_t mark = 0; mark <= count; ++mark) {
    const std::size_t at = mark * last / count;
    role_of_meeting_[comparable[at]] = static_cast<std::uint8_t>(mark);
    windows.sequences.push_back(alignment.meetings()[comparable[at]].sequence);
    windows.meetings.push_back(static_cast<std::uint32_t>(at));
  }
  windows_.push_back(std::move(windows));
}

void WindowMarker::count_arrival(EventPlace place, const Event& event, std::uint32_t meeting,
                                 double waited_ns) {
  Here& here = here_[static_cast<std::size_t>(event.communicator)];
  WaitWindows& windows = windows_[here.windows];
  if (here.rank != place.rank) {
    here = {.windows = here.windows, .rank = place.rank};
    windows.ranks.push_back(place.rank);
    windows.marks.resize(windows.marks.size() + windows.sequences.size());
  }
  if (here.meeting == meeting) return;  // coalesced
  here.meeting = meeting;
  ++here.calls;
  if (role_of_meeting_[meeting] == kInsideWindow) return;
  windows.marks[(windows.ranks.size() - 1) * windows.sequences.size() + role_of_meeting_[meeting]] = {
      .waited_ns = waited_ns, .begin_ns = event.begin_ns, .calls = here.calls, .event = place.event};
}

}  // namespace lockstep::ranks
