#include <gtest/gtest.h>

#include "diagnose/ranks/correctness/divergence.h"
#include "diagnose/ranks/testing/job_sketch.h"

namespace lockstep::ranks {
namespace {

using testing::JobSketch;

void end_step(JobSketch& sketch, int rank, std::uint64_t step, model::Checksums sums) {
  sketch.end_step(rank, step);
  model::Event& event = sketch.history(rank).events.back();
  event.communicator = sketch.world();
  event.checksums = static_cast<model::ChecksumsId>(sketch.job.checksums.size());
  sketch.job.checksums.push_back(sums);
}

// `sums(rank, step)`
template <typename Sums>
JobSketch trained(int ranks, std::uint64_t steps, const Sums& sums) {
  JobSketch sketch(ranks);
  for (std::uint64_t step = 1; step <= steps; ++step) {
    for (int rank = 0; rank < ranks; ++rank) end_step(sketch, rank, step, sums(rank, step));
  }
  return sketch;
}

TEST(ModelDrift, NamesTheRankWhoseParametersDiffer) {
  const JobSketch sketch = trained(3, 12, [](int rank, std::uint64_t step) {
    return model::Checksums{.input = step * 10 + (rank == 1 && step >= 5 ? 1 : 0)};
  });
  const auto finding = find_model_drift(sketch.job);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->code, "divergence.parameters_differ");
  EXPECT_EQ(finding->title, "rank 1 has other parameters than the other 2 ranks from step 5 on");
  EXPECT_EQ(finding->root_ranks, std::vector{1});
  EXPECT_EQ(finding->victim_ranks, (std::vector{0, 2}));
  EXPECT_EQ(finding->evidence.size(), 2U);
  EXPECT_FALSE(finding->fixes.empty());
}

TEST(ModelDrift, OfTwoRanksNobodyKnowsWhoIsWrong) {
  const JobSketch sketch = trained(2, 12, [](int rank, std::uint64_t step) {
    return model::Checksums{.input = step * 10 + (rank == 1 ? 1 : 0)};
  });
  const auto finding = find_model_drift(sketch.job);
  ASSERT_TRUE(finding);
  EXPECT_TRUE(finding->root_ranks.empty());
  EXPECT_EQ(finding->title, "ranks 0-1 have different parameters from step 1 on");
}

TEST(ModelDrift, TellsBuffersApart) {
  const JobSketch sketch = trained(2, 12, [](int rank, std::uint64_t step) {
    return model::Checksums{.input = step, .output = step * 10 + (rank == 1 ? 1 : 0)};
  });
  EXPECT_EQ(find_model_drift(sketch.job)->code, "divergence.buffers_differ");
}

TEST(ModelDrift, IsSilentWhereModelsAreEqual) {
  EXPECT_FALSE(find_model_drift(
      trained(3, 12, [](int, std::uint64_t step) { return model::Checksums{.input = step}; }).job));
}

TEST(ModelDrift, IsSilentAboutModelsThatAreAveragedFromTimeToTime) {
  for (const std::uint64_t steps : {15U, 16U, 17U, 39U}) {
    const JobSketch sketch = trained(4, steps, [](int rank, std::uint64_t step) {
      return model::Checksums{.input = step * 10 + (step % 8 == 0 ? 0 : static_cast<std::uint64_t>(rank))};
    });
    EXPECT_FALSE(find_model_drift(sketch.job)) << steps;
  }
}

TEST(ModelDrift, IsSilentAboutTheLastFewSteps) {
  EXPECT_FALSE(find_model_drift(trained(3, 12, [](int rank, std::uint64_t step) {
                                  return model::Checksums{.input =
                                                              step * 10 + (rank == 1 && step >= 10 ? 1 : 0)};
                                }).job));
}

TEST(ModelDrift, LeavesOutStepsThatARankHasNotReached) {
  JobSketch sketch = trained(2, 12, [](int, std::uint64_t step) { return model::Checksums{.input = step}; });
  for (std::uint64_t step = 13; step < 30; ++step) end_step(sketch, 0, step, {.input = step});
  EXPECT_FALSE(find_model_drift(sketch.job));
}

}  // namespace
}  // namespace lockstep::ranks
