#include "diagnose/ranks/mismatch/mismatch.h"

#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "diagnose/ranks/testing/job_sketch.h"
#include "diagnose/ranks/testing/random_job.h"

namespace lockstep::ranks {
namespace {

using model::DataType;
using model::EventState;
using model::Operation;
using testing::JobSketch;

std::vector<Mismatch> mismatches_of(const model::Job& job) {
  return find_mismatches(job, align(job));
}

void everyone_calls(JobSketch& sketch, std::uint64_t number, const testing::Call& call = {}) {
  for (const model::RankHistory& history : sketch.job.ranks) {
    testing::Call one = call;
    one.communicator = sketch.world();
    one.sequence = number;
    sketch.call(history.rank.number, one);
  }
}

TEST(Mismatch, NamesTheOddRankWhicheverItIs) {
  for (int odd = 0; odd < 4; ++odd) {
    JobSketch sketch(4);
    everyone_calls(sketch, 1);
    for (int rank = 0; rank < 4; ++rank) {
      sketch.call(rank, {.communicator = sketch.world(),
                         .sequence = 2,
                         .shape = {rank == odd ? 8 : 16},
                         .state = EventState::kIssued});
    }
    const std::vector<Mismatch> found = mismatches_of(sketch.job);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].sequence, 2U);
    EXPECT_EQ(found[0].aspect, Aspect::kShape);
    EXPECT_EQ(found[0].sides.at(1).ranks, std::vector<int>{odd});
    EXPECT_TRUE(found[0].is_pending);
    EXPECT_FALSE(found[0].is_tie);
  }
}

TEST(Mismatch, OfABroadcastIsOfTheModelRatherThanOfABatch) {
  const auto first_fix_for = [](Operation operation) {
    JobSketch sketch(3);
    for (int rank = 0; rank < 3; ++rank) {
      sketch.call(rank, {.communicator = sketch.world(),
                         .sequence = 1,
                         .operation = operation,
                         .shape = {rank == 1 ? 8 : 16},
                         .state = EventState::kIssued});
    }
    return finding_of(sketch.job, mismatches_of(sketch.job).at(0)).fixes.at(0).pattern;
  };
  EXPECT_EQ(first_fix_for(Operation::kBroadcast), model::FixPattern::kModelConstruction);
  EXPECT_EQ(first_fix_for(Operation::kAllReduce), model::FixPattern::kBatchOrPartition);
}

TEST(Mismatch, FailedAtOnceIsRefusedAndFailedLaterIsAHang) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  for (const auto& [end_ns, is_refused] : {std::pair(2 * kSecond, true), std::pair(60 * kSecond, false)}) {
    JobSketch sketch(3);
    for (int rank = 0; rank < 3; ++rank) {
      sketch.call(rank, {.communicator = sketch.world(),
                         .sequence = 1,
                         .shape = {rank == 1 ? 8 : 16},
                         .state = EventState::kFailed,
                         .begin_ns = kSecond,
                         .end_ns = end_ns});
    }
    const std::vector<Mismatch> found = mismatches_of(sketch.job);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].is_refused, is_refused);
  }
}

TEST(Mismatch, BetweenTwoTheFirstToIssueIsTheReference) {
  JobSketch sketch(2);
  sketch.call(0,
              {.communicator = sketch.world(), .sequence = 1, .type = DataType::kFloat32, .begin_ns = 200});
  sketch.call(1,
              {.communicator = sketch.world(), .sequence = 1, .type = DataType::kBFloat16, .begin_ns = 100});
  const std::vector<Mismatch> found = mismatches_of(sketch.job);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].is_tie);
  EXPECT_EQ(found[0].aspect, Aspect::kDataType);
  EXPECT_EQ(found[0].sides[0].ranks, std::vector<int>{1});
}

TEST(Mismatch, BetweenTwoWhoCallsSomethingNewBrokeOff) {
  JobSketch sketch(2);
  for (int rank = 0; rank < 2; ++rank) {
    for (std::uint64_t number = 1; number <= 3; ++number)
      sketch.call(rank, {.communicator = sketch.world(), .sequence = number});
  }
  sketch.call(0, {.communicator = sketch.world(), .sequence = 4, .begin_ns = 9'000'000});
  sketch.call(1, {.communicator = sketch.world(), .sequence = 4, .operation = Operation::kBarrier});
  const std::vector<Mismatch> found = mismatches_of(sketch.job);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].is_by_habit);
  EXPECT_EQ(found[0].sides[0].ranks, std::vector<int>{0});
  EXPECT_EQ(found[0].sides[1].ranks, std::vector<int>{1});
}

TEST(Mismatch, TellsASkippedCallFromAnExtraOne) {
  const auto job_where = [](bool skips) {
    JobSketch sketch(4);
    const std::vector<Operation> usual = {Operation::kAllReduce, Operation::kBroadcast, Operation::kAllGather,
                                          Operation::kReduceScatter};
    for (int rank = 0; rank < 4; ++rank) {
      std::vector<Operation> calls = usual;
      if (rank == 2 && skips) calls.erase(calls.begin() + 1);
      if (rank == 2 && !skips) calls.insert(calls.begin() + 1, Operation::kBarrier);
      for (std::size_t at = 0; at < calls.size(); ++at) {
        sketch.call(rank, {.communicator = sketch.world(), .sequence = at + 1, .operation = calls[at]});
      }
    }
    return mismatches_of(sketch.job).at(0);
  };
  EXPECT_EQ(job_where(true).shift, Shift::kSkipped);
  EXPECT_EQ(job_where(false).shift, Shift::kExtra);
  EXPECT_EQ(job_where(true).sides.at(1).ranks, std::vector<int>{2});
}

TEST(Mismatch, LetsLegalDifferencesPass) {
  JobSketch sketch(2);
  for (int rank = 0; rank < 2; ++rank) {
    sketch.call(rank, {.communicator = sketch.world(),
                       .sequence = 1,
                       .operation = Operation::kAllToAll,
                       .shape = {rank + 1}});
    sketch.call(
        rank,
        {.communicator = sketch.world(), .sequence = 2, .operation = Operation::kBarrier, .shape = {rank}});
  }
  EXPECT_TRUE(mismatches_of(sketch.job).empty());
}

TEST(Mismatch, AnUnevenGatherIsLegalWhenTheOutputsAgree) {
  JobSketch sketch(2);
  for (int rank = 0; rank < 2; ++rank) {
    model::Event& event = sketch.call(rank, {.communicator = sketch.world(), .sequence = 1});
    event.collective = sketch.job.collectives.intern({.operation = Operation::kAllGather,
                                                      .reduce_op = model::ReduceOp::kNone,
                                                      .input_types = {DataType::kFloat32},
                                                      .output_types = {DataType::kFloat32},
                                                      .input_shapes = {{rank + 3}},
                                                      .output_shapes = {{3}, {4}},
                                                      .peer = std::nullopt});
  }
  EXPECT_TRUE(mismatches_of(sketch.job).empty());
}

TEST(Mismatch, ARegionThatIsStillOpenIsAPrefixNotADifference) {
  JobSketch sketch(2);
  for (int rank = 0; rank < 2; ++rank) {
    sketch.call(rank, {.communicator = sketch.world(), .sequence = 1, .shape = {4}});
    sketch.call(rank, {.communicator = sketch.world(), .sequence = 1, .shape = {8}});
  }
  sketch.call(0, {.communicator = sketch.world(), .sequence = 1, .operation = Operation::kCoalesced});
  EXPECT_TRUE(mismatches_of(sketch.job).empty());
}

TEST(Mismatch, FindsADifferenceThatTheFirstRanksShortRegionDoesNotReach) {
  JobSketch sketch(3);
  for (int rank = 0; rank < 3; ++rank) {
    sketch.call(rank, {.communicator = sketch.world(), .sequence = 1, .shape = {4}});
    if (rank > 0) sketch.call(rank, {.communicator = sketch.world(), .sequence = 1, .shape = {rank}});
  }
  EXPECT_EQ(mismatches_of(sketch.job).size(), 1U);
}

TEST(Mismatch, FindsADifferentCallInsideARegion) {
  JobSketch sketch(3);
  for (int rank = 0; rank < 3; ++rank) {
    sketch.call(rank, {.communicator = sketch.world(), .sequence = 1, .shape = {4}});
    sketch.call(rank, {.communicator = sketch.world(), .sequence = 1, .shape = {rank == 1 ? 9 : 8}});
    sketch.call(rank, {.communicator = sketch.world(), .sequence = 1, .operation = Operation::kCoalesced});
  }
  const std::vector<Mismatch> found = mismatches_of(sketch.job);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].sides.at(1).ranks, std::vector<int>{1});
  EXPECT_EQ(found[0].sides.at(1).signature.shapes, std::vector<model::Shape>{{9}});
}

// The obvious way for ranks that do not coalesce: gather what each rank called under each number, compare
// all.
std::map<model::CommunicatorId, std::uint64_t> slow_first_mismatches(const model::Job& job) {
  std::map<std::pair<model::CommunicatorId, std::uint64_t>, std::map<int, std::vector<Signature>>> calls;
  for (const model::RankHistory& history : job.ranks) {
    for (const model::Event& event : history.events) {
      calls[{event.communicator, event.sequence}][history.rank.number].push_back(signature_of(job, event));
    }
  }
  std::map<model::CommunicatorId, std::uint64_t> first;
  for (const auto& [key, by_rank] : calls) {
    if (first.contains(key.first)) continue;
    for (const auto& [left_rank, left] : by_rank) {
      for (const auto& [right_rank, right] : by_rank) {
        for (std::size_t at = 0; at < std::min(left.size(), right.size()); ++at) {
          if (left[at] != right[at]) first.emplace(key.first, key.second);
        }
      }
    }
  }
  return first;
}

RC_GTEST_PROP(Mismatch, AgreesWithTheObviousWay, ()) {
  const JobSketch sketch = testing::random_job();
  std::map<model::CommunicatorId, std::uint64_t> fast;
  for (const Mismatch& mismatch : mismatches_of(sketch.job)) {
    fast[mismatch.communicator] = mismatch.sequence;
    std::set<int> named;
    for (const Side& side : mismatch.sides) {
      for (const int rank : side.ranks) RC_ASSERT(named.insert(rank).second);
      RC_ASSERT(side.ranks.size() <= mismatch.sides.front().ranks.size());
    }
  }
  RC_ASSERT(fast == slow_first_mismatches(sketch.job));
}

}  // namespace
}  // namespace lockstep::ranks
