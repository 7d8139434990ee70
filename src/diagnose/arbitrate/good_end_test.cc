#include "diagnose/arbitrate/good_end.h"

#include <gtest/gtest.h>

namespace lockstep::diagnose {
namespace {

using model::RankEnd;

model::Job job_that_ended(std::vector<RankEnd> ends, int world) {
  model::Job job;
  job.world_size = world;
  for (const RankEnd end : ends) {
    job.ranks.emplace_back().rank.number = static_cast<int>(job.ranks.size()) - 1;
    job.ranks.back().rank.end = end;
  }
  return job;
}

TEST(GoodEnd, NeedsEveryRankOfTheWorld) {
  EXPECT_TRUE(all_ended_well(job_that_ended({RankEnd::kClean, RankEnd::kClean}, 2)));
  EXPECT_FALSE(all_ended_well(job_that_ended({RankEnd::kClean, RankEnd::kClean}, 3))) << "one was not seen";
  EXPECT_FALSE(all_ended_well(job_that_ended({RankEnd::kClean, RankEnd::kExited}, 2)));
  EXPECT_FALSE(all_ended_well(job_that_ended({RankEnd::kClean, RankEnd::kUnknown}, 2)));
  EXPECT_FALSE(all_ended_well(job_that_ended({}, 0)));
}

TEST(GoodEnd, FailuresAreGotOverAndPerformanceIsNot) {
  std::vector<model::Finding> findings;
  for (const model::Leaf leaf : {model::Leaf::kRunOther, model::Leaf::kPerfResult, model::Leaf::kPkgImport,
                                 model::Leaf::kSetupProto}) {
    findings.emplace_back().leaf = leaf;
  }
  drop_what_they_got_over(findings);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].leaf, model::Leaf::kPerfResult);
  EXPECT_EQ(findings[1].leaf, model::Leaf::kSetupProto);
}

TEST(GoodEnd, GuessesAreNotTold) {
  std::vector<model::Finding> findings(2);
  findings[0].leaf = findings[1].leaf = model::Leaf::kPerfResult;
  findings[0].code = "leaf.perf_result";
  findings[1].code = "result.nan";
  drop_what_they_got_over(findings);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].code, "result.nan");
}

}  // namespace
}  // namespace lockstep::diagnose
