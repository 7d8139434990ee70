#include "diagnose/ranks/correctness/set_up.h"

#include <gtest/gtest.h>

#include "diagnose/ranks/testing/job_sketch.h"

namespace lockstep::ranks {
namespace {

using testing::JobSketch;

JobSketch with_versions(const std::vector<std::string>& versions) {
  JobSketch sketch(static_cast<int>(versions.size()));
  for (std::size_t rank = 0; rank < versions.size(); ++rank)
    sketch.history(static_cast<int>(rank)).rank.framework_version = versions[rank];
  return sketch;
}

std::vector<model::Finding> findings_with(const JobSketch& sketch,
                                          std::vector<model::Finding> findings = {}) {
  add_version_skew(sketch.job, findings);
  return findings;
}

TEST(VersionSkew, NamesTheRankWithAnotherVersion) {
  const auto findings = findings_with(with_versions({"2.13", "1.13", "2.13"}));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].root_ranks, std::vector{1});
  EXPECT_EQ(findings[0].title,
            "rank 1 runs another version than the others (framework version 1.13 instead of 2.13)");
}

TEST(VersionSkew, OfTwoRanksNobodyKnowsWhichIsRight) {
  const auto findings = findings_with(with_versions({"1.13", "2.13"}));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_TRUE(findings[0].root_ranks.empty());
  EXPECT_EQ(findings[0].title, "ranks run different versions (framework version 1.13 and 2.13)");
  EXPECT_EQ(findings[0].evidence.size(), 2U);
}

TEST(VersionSkew, ExplainsThatRanksNeverGotPastSettingUp) {
  const JobSketch sketch = with_versions({"2.13", "1.13", "2.13"});
  model::Finding hang;
  hang.leaf = model::Leaf::kSetupHang;
  EXPECT_EQ(findings_with(sketch, {hang}).front().code, "versions.differ");
  hang.leaf = model::Leaf::kPerfHang;
  EXPECT_EQ(findings_with(sketch, {hang}).back().code, "versions.differ");
}

TEST(VersionSkew, IsSilentWhereAllAreTheSame) {
  EXPECT_TRUE(findings_with(with_versions({"2.13", "2.13", ""})).empty());
}

}  // namespace
}  // namespace lockstep::ranks
