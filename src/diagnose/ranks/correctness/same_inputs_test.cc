#include <gtest/gtest.h>

#include "diagnose/ranks/correctness/divergence.h"
#include "diagnose/ranks/testing/job_sketch.h"

namespace lockstep::ranks {
namespace {

using testing::Call;
using testing::JobSketch;

void reduce(JobSketch& sketch, int rank, std::uint64_t number, std::uint64_t input,
            Call call = {.shape = {1024}}) {
  call.communicator = sketch.world();
  call.sequence = number;
  model::Event& event = sketch.call(rank, call);
  event.checksums = static_cast<model::ChecksumsId>(sketch.job.checksums.size());
  sketch.job.checksums.push_back({.input = input, .output = 1000 + number});
}

std::optional<model::Finding> judge(const JobSketch& sketch) {
  return find_same_inputs(sketch.job, align(sketch.job));
}

// Ten steps of two ranks; input_of(rank, step) is the checksum of what the rank brings.
template <typename InputOf>
JobSketch training(InputOf input_of, const Call& call = {.shape = {1024}}, bool with_steps = true) {
  JobSketch sketch(2);
  for (int rank = 0; rank < 2; ++rank) {
    for (std::uint64_t step = 1; step <= 10; ++step) {
      reduce(sketch, rank, step, input_of(rank, step), call);
      if (with_steps) sketch.end_step(rank, step);
    }
  }
  return sketch;
}

std::uint64_t same_data(int /*rank*/, std::uint64_t step) {
  return 50 + step;
}

TEST(SameInputs, FindsRanksThatTrainOnTheSameSamples) {
  const auto found = judge(training(same_data));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->leaf, model::Leaf::kPerfParallel);
  EXPECT_EQ(found->scope, model::Scope::kDistributed);
  EXPECT_TRUE(found->root_ranks.empty());
  ASSERT_FALSE(found->fixes.empty());
  EXPECT_EQ(found->fixes.front().pattern, model::FixPattern::kBatchOrPartition);
}

TEST(SameInputs, OneReductionThatDiffersIsEnoughForSilence) {
  EXPECT_FALSE(judge(training([](int rank, std::uint64_t step) {
    return 50 + step + (step == 7 ? static_cast<std::uint64_t>(rank) : 0);
  })));
}

// As Horovod's adapter tells it: each tensor has a communicator of its own.
TEST(SameInputs, ATensorThatIsTheSameBesideGradientsThatDifferIsNone) {
  JobSketch sketch =
      training([](int rank, std::uint64_t step) { return 50 + step * 2 + static_cast<std::uint64_t>(rank); });
  const model::CommunicatorId counters = sketch.group("counters", {0, 1});
  for (int rank = 0; rank < 2; ++rank) {
    for (std::uint64_t number = 1; number <= 10; ++number) {
      reduce(sketch, rank, number, 500 + number);
      sketch.history(rank).events.back().communicator = counters;
    }
  }
  EXPECT_FALSE(judge(sketch));
}

TEST(SameInputs, WhatNeverChangesIsNoGradient) {
  EXPECT_FALSE(judge(training([](int, std::uint64_t) { return std::uint64_t{50}; })));
}

TEST(SameInputs, SmallTensorsAndCountsMayBeTheSame) {
  EXPECT_FALSE(judge(training(same_data, {.shape = {4}})));
  EXPECT_FALSE(judge(training(same_data, {.shape = {1024}, .type = model::DataType::kInt64})));
}

TEST(SameInputs, OnlyTrainingIsAsked) {
  EXPECT_FALSE(judge(training(same_data, {.shape = {1024}}, false)));
}

TEST(SameInputs, HorovodTrainsAlsoWhereNobodySeesItsSteps) {
  JobSketch sketch = training(same_data, {.shape = {1024}}, false);
  sketch.job.framework = "horovod";
  EXPECT_TRUE(judge(sketch));
}

TEST(SameInputs, InputsThatWereNotSummedAreNotTheSame) {
  EXPECT_FALSE(judge(training([](int, std::uint64_t) { return std::uint64_t{0}; })));
}

}  // namespace
}  // namespace lockstep::ranks
