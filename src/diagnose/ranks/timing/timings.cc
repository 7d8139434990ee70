#include "diagnose/ranks/timing/timings.h"

#include <algorithm>
#include <limits>

#include "diagnose/ranks/align.h"
#include "diagnose/ranks/timing/wait_clock.h"
#include "diagnose/ranks/timing/waiting_calls.h"

namespace lockstep::ranks {
namespace {

using model::Event;
using model::Job;

constexpr float kNotTimed = std::numeric_limits<float>::max();

void wait_in(WaitClock& clock, const Event& event) {
  if (event.only_duration) {
    clock.wait_for(duration_of(event));
  } else {
    clock.wait_until(event.end_ns);
  }
}

class Walk {
 public:
  Walk(const Job& job, const Alignment& alignment)
      : calls_(job),
        finder_(job, alignment),
        marker_(job, alignment, calls_),
        transfers_ns_(alignment.meetings().size(), kNotTimed) {
    runs_.reserve(job.ranks.size());
    for (std::uint32_t rank = 0; rank < job.ranks.size(); ++rank) walk(rank, job.ranks[rank].events);
    std::ranges::replace(transfers_ns_, kNotTimed, 0.0F);
  }

  Timings take() {
    return {.windows = marker_.take(), .runs = std::move(runs_), .transfers_ns = std::move(transfers_ns_)};
  }

 private:
  void walk(std::uint32_t rank, const std::vector<Event>& events) {
    RankRun& run = runs_.emplace_back();
    WaitClock waited;
    WaitClock communicated;
    std::int64_t last_ns = 0;
    std::size_t next_part = 0;
    std::size_t next_part_at = 0;  // its first event
    for (std::uint32_t at = 0; at < events.size(); ++at) {
      const Event& event = events[at];
      if (!is_time(event.begin_ns)) continue;
      if (!event.only_duration) {
        waited.work_at(event.begin_ns);
        communicated.work_at(event.begin_ns);
      }
      if (at >= next_part_at) {
        next_part = run_part_of(at, events.size());
        run.parts[next_part] = part_at(event.begin_ns, waited, communicated);
        next_part_at = ((next_part + 1) * events.size() + kRunParts - 1) / kRunParts;
      }
      if (event.kind == model::EventKind::kActivity || !has_duration(event)) continue;
      last_ns = std::max(last_ns, event.end_ns);
      wait_in(communicated, event);
      if (!calls_.is_waiting(event)) continue;
      if (calls_.is_synchronising(event)) meet({.rank = rank, .event = at}, event, waited.waited_ns(), run);
      wait_in(waited, event);
    }
    last_ns = std::max(last_ns, run.parts[0].begin_ns);
    waited.work_at(last_ns);
    communicated.work_at(last_ns);
    run.parts[kRunParts] = part_at(last_ns, waited, communicated);
  }

  static RunPart part_at(std::int64_t begin_ns, const WaitClock& waited, const WaitClock& communicated) {
    return {
        .begin_ns = begin_ns, .waited_ns = waited.waited_ns(), .communicated_ns = communicated.waited_ns()};
  }

  void meet(EventPlace place, const Event& event, double waited_ns, RankRun& run) {
    ++run.collectives;
    const std::uint32_t meeting = finder_.find(event);
    if (meeting == kNoMeeting) return;
    transfers_ns_[meeting] = std::min(transfers_ns_[meeting], static_cast<float>(duration_of(event)));
    marker_.arrive(place, event, meeting, waited_ns);
  }

  const WaitingCalls calls_;
  const MeetingFinder finder_;
  WindowMarker marker_;
  std::vector<RankRun> runs_;
  std::vector<float> transfers_ns_;
};

}  // namespace

Timings measure_timings(const Job& job, const Alignment& alignment) {
  return Walk(job, alignment).take();
}

}  // namespace lockstep::ranks
