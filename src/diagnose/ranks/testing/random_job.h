// Random jobs in which anything may be missing, mismatched or stuck: what a pass and its slow twin must agree
// on.
#pragma once

#include <algorithm>
#include <rapidcheck.h>

#include "diagnose/ranks/testing/job_sketch.h"

namespace lockstep::ranks::testing {

// Up to six ranks, three groups that overlap, short histories with gaps, wrapped rings, ranks without
// evidence, counters, every state, two shapes and two operations.
inline JobSketch random_job() {
  using model::EventState;
  const int ranks = *rc::gen::inRange(2, 7);
  JobSketch sketch(ranks);
  std::vector<model::CommunicatorId> groups = {sketch.world(), sketch.group("even", {0, ranks > 2 ? 2 : 1}),
                                               sketch.group("low", {0, 1})};
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<std::uint64_t> next(groups.size(), 1);
    const int calls = *rc::gen::inRange(0, 14);
    for (int at = 0; at < calls; ++at) {
      const auto group = static_cast<std::size_t>(*rc::gen::inRange(0, 3));
      const std::vector<int>& members = sketch.job.communicators[groups[group]].members;
      if (std::ranges::find(members, rank) == members.end()) continue;
      if (*rc::gen::inRange(0, 8) == 0) ++next[group];    // a number nobody recorded
      const bool repeats = *rc::gen::inRange(0, 8) == 0;  // coalesced with the call before
      if (repeats && next[group] > 1) --next[group];
      sketch.call(rank, {.communicator = groups[group],
                         .sequence = next[group]++,
                         .operation = *rc::gen::weightedElement<model::Operation>(
                             {{8, model::Operation::kAllReduce}, {1, model::Operation::kBroadcast}}),
                         .shape = *rc::gen::weightedElement<model::Shape>({{12, {16}}, {1, {32}}}),
                         .state = *rc::gen::weightedElement<EventState>({{8, EventState::kCompleted},
                                                                         {3, EventState::kIssued},
                                                                         {1, EventState::kStarted},
                                                                         {1, EventState::kFailed},
                                                                         {1, EventState::kUntracked}})});
    }
    sketch.history(rank).begins_at_start = *rc::gen::inRange(0, 4) != 0;
    if (*rc::gen::inRange(0, 6) == 0) {
      sketch.history(rank).progress.push_back(
          {.communicator = groups[0], .issued = *rc::gen::inRange<std::int64_t>(-1, 12)});
    }
  }
  if (ranks > 2 && *rc::gen::inRange(0, 4) == 0) sketch.forget(*rc::gen::inRange(0, ranks));
  return sketch;
}

}  // namespace lockstep::ranks::testing
