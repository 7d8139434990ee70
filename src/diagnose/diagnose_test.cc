#include "diagnose/diagnose.h"

#include <gtest/gtest.h>

namespace lockstep::diagnose {
namespace {

TEST(Diagnose, KeepsWhatEitherKnowsOfTheJob) {
  model::JobSummary from_ranks;
  from_ranks.backend = "nccl";
  from_ranks.ranks_seen = {1, 2};
  model::JobSummary from_logs;
  from_logs.framework = "pytorch";
  from_logs.backend = "gloo";
  from_logs.ranks_seen = {0, 1};
  const model::JobSummary summary = what_either_knows(from_ranks, from_logs);
  EXPECT_EQ(summary.framework, "pytorch");
  EXPECT_EQ(summary.backend, "nccl");
  EXPECT_EQ(summary.ranks_seen, (std::vector<int>{0, 1, 2}));
}

}  // namespace
}  // namespace lockstep::diagnose
