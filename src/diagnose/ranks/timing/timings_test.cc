#include "diagnose/ranks/timing/timings.h"

#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "diagnose/ranks/signature.h"
#include "diagnose/ranks/testing/job_sketch.h"
#include "diagnose/ranks/timing/waiting_calls.h"

namespace lockstep::ranks {
namespace {

using testing::JobSketch;

// Two groups, calls that overlap or not, some lost, some coalesced.
JobSketch any_timed_job() {
  JobSketch sketch(3);
  const model::CommunicatorId pair = sketch.group("pair", {0, 1});
  const model::Operation operations[] = {model::Operation::kAllReduce, model::Operation::kBroadcast};
  std::vector<std::tuple<bool, int, int, int>> calls =
      *rc::gen::container<std::vector<std::tuple<bool, int, int, int>>>(
          60, rc::gen::tuple(rc::gen::arbitrary<bool>(), rc::gen::weightedElement<int>({{5, 0}, {1, 1}}),
                             rc::gen::inRange(0, 20), rc::gen::inRange(0, 30)));
  for (int rank = 0; rank < 3; ++rank) {
    std::int64_t now = 1000;
    std::uint64_t numbers[2] = {0, 0};
    for (const auto& [is_pair, operation, pause, length] : calls) {
      if (is_pair && rank == 2) continue;
      const std::uint64_t number = numbers[is_pair ? 1 : 0]++;
      const std::uint32_t fate = *rc::gen::inRange(0U, 40U);
      if (fate == 0) continue;  // lost
      now += pause + *rc::gen::inRange(0, 5);
      for (int repeat = 0; repeat < (fate == 1 ? 2 : 1); ++repeat) {
        model::Event& event = sketch.call(rank, {.communicator = is_pair ? pair : sketch.world(),
                                                 .sequence = number,
                                                 .operation = operations[operation],
                                                 .begin_ns = now,
                                                 .end_ns = now + length});
        event.only_duration = fate == 2;
        if (fate == 3) event.end_ns = model::kNoTime;
      }
      if (*rc::gen::arbitrary<bool>()) now += length;
    }
  }
  return sketch;
}

bool is_timed_meeting_call(const model::Job& job, const model::Event& event) {
  return is_synchronising(job.collectives[event.collective].operation) && has_duration(event);
}

// The obvious way: of every meeting the shortest stay.
RC_GTEST_PROP(Timings, TransfersAreTheShortestStays, ()) {
  const JobSketch sketch = any_timed_job();
  const Alignment alignment = align(sketch.job);
  const Timings timings = measure_timings(sketch.job, alignment);
  for (std::size_t at = 0; at < alignment.meetings().size(); ++at) {
    std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
    for (const EventPlace place : alignment.meetings()[at].arrivals) {
      const model::Event& event = event_at(sketch.job, place);
      if (is_timed_meeting_call(sketch.job, event)) shortest = std::min(shortest, duration_of(event));
    }
    const bool is_known = shortest != std::numeric_limits<std::int64_t>::max();
    RC_ASSERT(timings.transfers_ns[at] == (is_known ? static_cast<float>(shortest) : 0.0F));
  }
}

// What a rank has waited when it begins event `at`, with nothing but the definition: see wait_clock_test.
double slow_waited(const model::Job& job, const std::vector<model::Event>& events, std::size_t at) {
  double waited = 0;
  const std::int64_t until = events[at].begin_ns;
  for (std::int64_t moment = 1000; moment < until; ++moment) {
    std::int64_t covered_until = 0;
    bool begins_later = false;
    for (std::size_t other = 0; other <= at; ++other) {
      const model::Event& event = events[other];
      if (event.only_duration) continue;
      if (event.begin_ns > moment) {
        begins_later = begins_later || event.begin_ns < covered_until;
      } else if (other < at && is_timed_meeting_call(job, event) && event.end_ns > moment) {
        covered_until = std::max(covered_until, event.end_ns);
      }
    }
    if (covered_until > moment && !begins_later && covered_until <= until) ++waited;
  }
  for (std::size_t other = 0; other < at; ++other) {
    const model::Event& event = events[other];
    if (event.only_duration && is_timed_meeting_call(job, event)) {
      waited += static_cast<double>(duration_of(event));
    }
  }
  return waited;
}

RC_GTEST_PROP(Timings, MarksAgreeWithTheObviousWay, ()) {
  const JobSketch sketch = any_timed_job();
  const Alignment alignment = align(sketch.job);
  const Timings timings = measure_timings(sketch.job, alignment);
  for (const WaitWindows& windows : timings.windows) {
    for (std::size_t rank = 0; rank < windows.ranks.size(); ++rank) {
      const std::vector<model::Event>& events = sketch.job.ranks[windows.ranks[rank]].events;
      for (std::size_t at = 0; at < windows.sequences.size(); ++at) {
        const WindowMark& mark = windows.mark(rank, at);
        if (mark.calls == 0) continue;
        RC_ASSERT(events[mark.event].sequence == windows.sequences[at]);
        RC_ASSERT(events[mark.event].communicator == windows.communicator);
        const bool is_plain = !events[mark.event].only_duration;
        if (is_plain) RC_ASSERT(mark.waited_ns == slow_waited(sketch.job, events, mark.event));
      }
    }
  }
}

// A window is whole when the rank has a timed record of every collective in it.
RC_GTEST_PROP(Timings, WindowsWithLostCallsAreNotWhole, ()) {
  const JobSketch sketch = any_timed_job();
  const Alignment alignment = align(sketch.job);
  const Timings timings = measure_timings(sketch.job, alignment);
  for (const WaitWindows& windows : timings.windows) {
    std::set<std::uint64_t> comparable;
    for (const Meeting& meeting : alignment.meetings_of(windows.communicator)) {
      const bool has_peers = meeting.arrivals.front().rank != meeting.arrivals.back().rank;
      const model::Event& event = event_at(sketch.job, meeting.arrivals.front());
      if (has_peers && is_synchronising(sketch.job.collectives[event.collective].operation)) {
        comparable.insert(meeting.sequence);
      }
    }
    for (std::size_t rank = 0; rank < windows.ranks.size(); ++rank) {
      std::set<std::uint64_t> here;
      for (const model::Event& event : sketch.job.ranks[windows.ranks[rank]].events) {
        const bool counts = event.communicator == windows.communicator &&
                            comparable.contains(event.sequence) && is_timed_meeting_call(sketch.job, event);
        if (counts) here.insert(event.sequence);
      }
      for (std::size_t window = 0; window < windows.count(); ++window) {
        bool is_whole = true;
        for (const std::uint64_t number : comparable) {
          const bool is_inside =
              number >= windows.sequences[window] && number <= windows.sequences[window + 1];
          if (is_inside && !here.contains(number)) is_whole = false;
        }
        RC_ASSERT(windows.is_whole(rank, window) == is_whole);
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::ranks
