#include "report/phrases.h"

#include <limits>

#include <gtest/gtest.h>

namespace lockstep::report {
namespace {

TEST(DescribeConfidence, SaysItInWordsAndAsANumber) {
  EXPECT_EQ(describe_confidence(1.0), "almost certain (100%)");
  EXPECT_EQ(describe_confidence(0.999), "almost certain (99%)");
  EXPECT_EQ(describe_confidence(0.29), "a guess (29%)");
  EXPECT_EQ(describe_confidence(7), "almost certain (100%)");
  EXPECT_EQ(describe_confidence(std::numeric_limits<double>::quiet_NaN()), "a guess (0%)");
}

TEST(DescribeRanks, FoldsRunsAndCutsLongLists) {
  EXPECT_EQ(describe_ranks({}), "no rank");
  EXPECT_EQ(describe_ranks({3}), "rank 3");
  EXPECT_EQ(describe_ranks({0, 1, 2, 4}), "ranks 0-2 and 4");
  std::vector<int> even;
  for (int rank = 0; rank < 2000; rank += 2) even.push_back(rank);
  EXPECT_EQ(describe_ranks(even),
            "ranks 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, … (1000 in all)");
}

TEST(DescribeWho, NamesTheOriginAndTheVictims) {
  model::Finding finding;
  finding.leaf = model::Leaf::kPerfHang;
  EXPECT_EQ(describe_who(finding), "");
  finding.victim_ranks = {0, 1, 2, 4, 5};
  EXPECT_EQ(describe_who(finding), "Root cause: not known. Affected: ranks 0-2 and 4-5.");
  finding.root_ranks = {3};
  EXPECT_EQ(describe_who(finding), "Root cause: rank 3. Affected: ranks 0-2 and 4-5.");
  finding.confidence = 0.97;
  EXPECT_EQ(who_and_how_sure(finding),
            "Root cause: rank 3. Affected: ranks 0-2 and 4-5. Almost certain (97%).");
  finding.root_ranks = {};
  finding.victim_ranks = {};
  EXPECT_EQ(who_and_how_sure(finding), "Almost certain (97%).");
}

TEST(DescribeJob, SaysOnlyWhatIsKnown) {
  EXPECT_EQ(describe_job({}), "");
  EXPECT_EQ(
      describe_job({.framework = "pytorch", .backend = "", .world_size = 1, .hosts = {}, .ranks_seen = {}}),
      "pytorch, 1 rank");
  EXPECT_EQ(describe_job({.framework = "", .backend = "", .world_size = 4, .hosts = 2, .ranks_seen = {0, 3}}),
            "4 ranks on 2 hosts; input from ranks 0 and 3");
}

TEST(DescribePlace, IsTheFileAndTheLine) {
  model::Evidence evidence;
  EXPECT_EQ(describe_place(evidence), "(no file)");
  evidence.file = "a\x1b.log";
  EXPECT_EQ(describe_place(evidence), "a\\x1b.log");
  evidence.line = 12;
  EXPECT_EQ(describe_place(evidence), "a\\x1b.log:12");
}

}  // namespace
}  // namespace lockstep::report
