#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "diagnose/ranks/align.h"
#include "diagnose/ranks/testing/job_sketch.h"

namespace lockstep::ranks {
namespace {

using testing::JobSketch;

RC_GTEST_PROP(MeetingFinder, FindsForEveryArrivalItsMeeting, ()) {
  JobSketch sketch(2);
  const model::CommunicatorId groups[] = {sketch.world(), sketch.group("unused", {1}),
                                          sketch.group("a", {0})};
  const bool has_wild_numbers = *rc::gen::arbitrary<bool>();
  for (const auto& [group, number] :
       *rc::gen::container<std::vector<std::pair<int, std::uint64_t>>>(rc::gen::pair(
           rc::gen::element(0, 2), has_wild_numbers ? rc::gen::arbitrary<std::uint64_t>()
                                                    : rc::gen::inRange<std::uint64_t>(5, 30)))) {
    sketch.call(0, {.communicator = groups[group], .sequence = number});
  }
  const Alignment alignment = align(sketch.job);
  const MeetingFinder finder(sketch.job, alignment);
  for (std::uint32_t at = 0; at < alignment.meetings().size(); ++at) {
    for (const EventPlace place : alignment.meetings()[at].arrivals) {
      RC_ASSERT(finder.find(event_at(sketch.job, place)) == at);
    }
  }
}

TEST(MeetingFinder, FindsNothingForWhatWasNotAligned) {
  JobSketch sketch(1);
  sketch.call(0, {.communicator = sketch.world(), .sequence = 3});
  const Alignment alignment = align(sketch.job);
  const MeetingFinder finder(sketch.job, alignment);
  model::Event event = sketch.job.ranks[0].events[0];
  event.sequence = 4;
  EXPECT_EQ(finder.find(event), kNoMeeting);
  event.sequence = model::kNoSequence;
  EXPECT_EQ(finder.find(event), kNoMeeting);
  event.communicator = model::CommunicatorId::kNone;
  EXPECT_EQ(finder.find(event), kNoMeeting);
  event = sketch.job.ranks[0].events[0];
  event.kind = model::EventKind::kActivity;
  EXPECT_EQ(finder.find(event), kNoMeeting);
}

}  // namespace
}  // namespace lockstep::ranks
