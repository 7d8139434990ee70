#include "diagnose/ranks/align.h"

#include <map>
#include <tuple>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "diagnose/ranks/testing/job_sketch.h"

namespace lockstep::ranks {
namespace {

using model::CommunicatorId;
using testing::JobSketch;

using Key = std::pair<CommunicatorId, std::uint64_t>;
using Arrivals = std::map<Key, std::vector<std::pair<std::uint32_t, std::uint32_t>>>;

// The obvious way: one ordered map over everything.
Arrivals slow_align(const model::Job& job) {
  Arrivals arrivals;
  for (std::uint32_t rank = 0; rank < job.ranks.size(); ++rank) {
    for (std::uint32_t at = 0; at < job.ranks[rank].events.size(); ++at) {
      const model::Event& event = job.ranks[rank].events[at];
      if (event.kind == model::EventKind::kCollective && event.sequence != model::kNoSequence) {
        arrivals[{event.communicator, event.sequence}].emplace_back(rank, at);
      }
    }
  }
  return arrivals;
}

Arrivals as_map(const Alignment& alignment) {
  Arrivals arrivals;
  for (const Meeting& meeting : alignment.meetings()) {
    for (const EventPlace place : meeting.arrivals) {
      arrivals[{meeting.communicator, meeting.sequence}].emplace_back(place.rank, place.event);
    }
  }
  return arrivals;
}

RC_GTEST_PROP(Align, AgreesWithTheObviousWay, ()) {
  const int ranks = *rc::gen::inRange(1, 6);
  JobSketch sketch(ranks);
  const std::vector<CommunicatorId> groups = {sketch.world(), sketch.group("left", {0}),
                                              sketch.group("right", {0})};
  const bool has_wild_numbers = *rc::gen::arbitrary<bool>();
  for (int rank = 0; rank < ranks; ++rank) {
    const auto calls = *rc::gen::container<std::vector<std::pair<int, std::uint64_t>>>(
        rc::gen::pair(rc::gen::inRange(0, 3), has_wild_numbers ? rc::gen::arbitrary<std::uint64_t>()
                                                               : rc::gen::inRange<std::uint64_t>(0, 40)));
    for (const auto& [group, number] : calls) {
      sketch.call(rank, {.communicator = groups[static_cast<std::size_t>(group)], .sequence = number});
    }
  }
  const Alignment alignment = align(sketch.job);
  RC_ASSERT(as_map(alignment) == slow_align(sketch.job));
  std::size_t in_groups = 0;
  for (const CommunicatorId group : groups) in_groups += alignment.meetings_of(group).size();
  RC_ASSERT(in_groups == alignment.meetings().size());
}

TEST(Align, LeavesSendsAndUnnumberedEventsOut) {
  JobSketch sketch(2);
  sketch.call(0, {.communicator = sketch.world(), .operation = model::Operation::kSend, .peer = 1});
  sketch.call(1, {.communicator = sketch.world()});
  EXPECT_TRUE(align(sketch.job).meetings().empty());
}

}  // namespace
}  // namespace lockstep::ranks
