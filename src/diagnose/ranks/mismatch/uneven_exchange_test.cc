#include "diagnose/ranks/mismatch/uneven_exchange.h"

#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "diagnose/ranks/testing/job_sketch.h"

namespace lockstep::ranks {
namespace {

using testing::JobSketch;

// Rank r sends split[r][c] elements to rank c, and expects what the others send it plus `extra` on rank 0.
JobSketch exchange_of(const std::vector<std::vector<int>>& split, int extra) {
  const auto ranks = static_cast<int>(split.size());
  JobSketch sketch(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto row = static_cast<std::size_t>(rank);
    std::int64_t received = rank == 0 ? extra : 0;
    for (const std::vector<int>& other : split) received += other[row];
    model::Event& event = sketch.call(rank, {.communicator = sketch.world(), .sequence = 1});
    event.collective = sketch.job.collectives.intern(
        {.operation = model::Operation::kAllToAll,
         .reduce_op = model::ReduceOp::kNone,
         .input_types = {model::DataType::kFloat32},
         .output_types = {model::DataType::kFloat32},
         .input_shapes = {{std::accumulate(split[row].begin(), split[row].end(), std::int64_t{0})}},
         .output_shapes = {{received}},
         .peer = std::nullopt});
  }
  return sketch;
}

RC_GTEST_PROP(UnevenExchange, IsFoundExactlyWhenTheSumsDiffer, ()) {
  const auto ranks = *rc::gen::inRange<std::size_t>(1, 5);
  const auto split = *rc::gen::container<std::vector<std::vector<int>>>(
      ranks, rc::gen::container<std::vector<int>>(ranks, rc::gen::inRange(0, 100)));
  const int extra = *rc::gen::inRange(0, 2);
  const JobSketch sketch = exchange_of(split, extra);
  RC_ASSERT(find_uneven_exchanges(sketch.job, align(sketch.job)).size() == static_cast<std::size_t>(extra));
}

TEST(UnevenExchange, SaysNothingWhileAMemberIsUnknown) {
  JobSketch sketch = exchange_of({{1, 2}, {3, 4}}, 5);
  sketch.forget(1);
  EXPECT_TRUE(find_uneven_exchanges(sketch.job, align(sketch.job)).empty());
}

}  // namespace
}  // namespace lockstep::ranks
