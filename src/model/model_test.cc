#include <set>

#include <gtest/gtest.h>

#include "model/finding.h"
#include "model/job.h"
#include "model/rank.h"

namespace lockstep::model {
namespace {

TEST(Leaf, HasThirtyEntriesWhoseIdsFindThemAgain) {
  EXPECT_EQ(all_leaves().size(), 30U);
  std::set<std::string_view> ids;
  for (const LeafEntry& entry : all_leaves()) {
    EXPECT_EQ(&entry_of(entry.leaf), &entry);
    EXPECT_EQ(leaf_with_id(entry.id), entry.leaf);
    ids.insert(entry.id);
  }
  EXPECT_EQ(ids.size(), 30U);
  EXPECT_EQ(leaf_with_id("PERF-NOTHING"), std::nullopt);
}

TEST(FixPattern, HasTwentyOneEntriesWhoseIdsFindThemAgain) {
  EXPECT_EQ(all_fix_patterns().size(), 21U);
  for (const FixPatternEntry& entry : all_fix_patterns()) {
    EXPECT_EQ(id_of(entry.pattern), entry.id);
    EXPECT_EQ(fix_pattern_with_id(entry.id), entry.pattern);
  }
}

TEST(Words, NamesFindTheirValuesAgain) {
  EXPECT_EQ(name_of(Operation::kAllReduce), "all_reduce");
  EXPECT_EQ(operation_named("reduce_scatter"), Operation::kReduceScatter);
  EXPECT_EQ(name_of(ReduceOp::kAverage), "average");
  EXPECT_EQ(name_of(DataType::kBFloat16), "bfloat16");
  EXPECT_EQ(name_of(Activity::kDataWait), "data_wait");
  EXPECT_EQ(operation_named("AllReduce"), std::nullopt);
}

TEST(Words, ANumberFromTheFuturePrintsAsUnknown) {
  EXPECT_EQ(name_of(static_cast<Operation>(250)), "unknown");
}

TEST(Job, KeepsEqualCollectivesOnce) {
  Job job;
  const Collective gradient{.operation = Operation::kAllReduce,
                            .reduce_op = ReduceOp::kSum,
                            .input_types = {DataType::kFloat32},
                            .output_types = {},
                            .input_shapes = {{1024}},
                            .output_shapes = {},
                            .peer = std::nullopt};
  Collective larger = gradient;
  larger.input_shapes = {{2048}};

  const CollectiveId first = job.collectives.intern(gradient);
  EXPECT_EQ(job.collectives.intern(gradient), first);
  EXPECT_NE(job.collectives.intern(larger), first);
  EXPECT_EQ(job.collectives[first], gradient);
  EXPECT_EQ(job.collectives.size(), 2U);
}

TEST(Job, TellsCommunicatorsOfOneNameApartByTheirMembers) {
  Job job;
  const Communicator left{.name = "1", .description = "", .backend = "gloo", .members = {0, 1}, .size = 2};
  Communicator right = left;
  right.members = {2, 3};
  EXPECT_NE(job.communicators.intern(left), job.communicators.intern(right));
}

TEST(CompressRanks, FoldsRunsIntoRanges) {
  EXPECT_EQ(compress_ranks({}), "");
  EXPECT_EQ(compress_ranks({5}), "5");
  EXPECT_EQ(compress_ranks({0, 1, 2, 4, 6, 7}), "0-2, 4, 6-7");
  EXPECT_EQ(ranks_in_words({}), "no rank");
  EXPECT_EQ(ranks_in_words({3}), "rank 3");
  EXPECT_EQ(ranks_in_words({0, 1, 3}), "ranks 0-1 and 3");
  EXPECT_EQ(ranks_in_words({0, 1, 2, 4, 6, 7}), "ranks 0-2, 4 and 6-7");
}

}  // namespace
}  // namespace lockstep::model
