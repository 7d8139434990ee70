#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "readers/nccl/ras.h"
#include "readers/testing/dumps.h"

namespace lockstep::readers {
namespace {

using model::Liveness;
using model::Operation;
using ::testing::IsEmpty;
using testing::seed;
using testing::source_of;

const model::RankHistory* rank_named(const model::Job& job, int number) {
  for (const model::RankHistory& history : job.ranks) {
    if (history.rank.number == number) return &history;
  }
  return nullptr;
}

std::optional<std::int64_t> launched_by(const model::Job& job, int number, Operation operation) {
  if (rank_named(job, number) == nullptr) return std::nullopt;
  for (const model::Progress& progress : rank_named(job, number)->progress) {
    if (progress.operation == operation) return progress.issued;
  }
  return std::nullopt;
}

model::Job read_report(const std::string& name) {
  const std::string text = seed("nccl_ras_text/" + name);
  EXPECT_TRUE(recognises_ras_text(source_of(text)));
  return read_ras_text(source_of(text));
}

TEST(RasText, NamesTheRanksThatTheReportOnlyCounts) {
  const model::Job job = read_report("mismatch");
  EXPECT_EQ(job.world_size, 3);
  EXPECT_EQ(launched_by(job, 1, Operation::kAllReduce), 3);
  EXPECT_EQ(launched_by(job, 0, Operation::kAllReduce), 4);
  EXPECT_EQ(launched_by(job, 2, Operation::kAllReduce), 4);
  EXPECT_EQ(launched_by(job, 1, Operation::kBroadcast), 2);
  EXPECT_EQ(rank_named(job, 1)->rank.pid, 437);
  EXPECT_EQ(rank_named(job, 0)->rank.pid, std::nullopt);
  EXPECT_EQ(job.communicators.values().at(0).name, "0xda86134f342b51b6");
  EXPECT_EQ(job.ranks.size(), 3U);
}

// A real report of 2.28.9 in which the table has forgotten the size of the largest communicator.
TEST(RasText, NumbersNobodyByACommunicatorThatDoesNotSpanTheJob) {
  const model::Job job = read_report("stopped");
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks[0].rank.number, model::kUnknownRank);
  EXPECT_EQ(job.ranks[0].rank.pid, 438);
  EXPECT_EQ(job.ranks[0].rank.liveness, Liveness::kUnresponsive);
}

TEST(RasText, ReadsTheFirstForm) {
  const model::Job job = read_report("v2_24");
  EXPECT_EQ(launched_by(job, 5, Operation::kUnknown), 6649) << "all kinds are counted together";
  EXPECT_EQ(launched_by(job, 0, Operation::kUnknown), 6650);
  EXPECT_EQ(launched_by(job, 7, Operation::kUnknown), std::nullopt);
  EXPECT_EQ(rank_named(job, 7)->rank.liveness, Liveness::kUnresponsive);
  EXPECT_EQ(job.communicators.values().at(0).name, "0xf264ee8c89ec21") << "as all other sources write it";
  ASSERT_EQ(job.limits.size(), 1U);
}

TEST(RasText, ReadsErrorsStatusAndTheDead) {
  const model::Job job = read_report("v2_30_init_and_errors");
  EXPECT_EQ(job.world_size, 3);
  ASSERT_EQ(rank_named(job, 1)->failures.size(), 1U);
  EXPECT_EQ(rank_named(job, 1)->failures[0].message,
            "NCCL communicator 0xa: asynchronous Remote process error");
  EXPECT_EQ(rank_named(job, 2)->rank.liveness, Liveness::kDead);
  EXPECT_EQ(launched_by(job, 2, Operation::kAllReduce), 0);
  ASSERT_EQ(rank_named(job, 2)->events.size(), 1U);
  EXPECT_EQ(rank_named(job, 2)->events[0].state, model::EventState::kIssued)
      << "it is still making the communicator";
  ASSERT_EQ(rank_named(job, 0)->events.size(), 1U);
  EXPECT_EQ(rank_named(job, 0)->events[0].state, model::EventState::kCompleted);
  EXPECT_EQ(launched_by(job, 1, Operation::kAllGather), 4) << "rank 0 of the small one is process 21, rank 1";
}

TEST(RasText, HearsOfTheDead) {
  const model::Job job = read_report("monitor");
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks[0].rank.liveness, Liveness::kDead);
}

TEST(RasText, InfersNothingWhereNumbersDoNotAddUp) {
  std::string text = seed("nccl_ras_text/mismatch");
  const std::string counted = "2 ranks have launched up to operation 4";
  text.replace(text.find(counted), 1, "1");
  const model::Job job = read_ras_text(source_of(text));
  EXPECT_EQ(launched_by(job, 1, Operation::kAllReduce), 3);
  EXPECT_EQ(launched_by(job, 0, Operation::kAllReduce), std::nullopt);
}

TEST(RasText, SurvivesACutAnywhere) {
  for (const char* name : {"mismatch", "v2_24", "v2_30_init_and_errors"}) {
    const std::string whole = seed(std::string("nccl_ras_text/") + name);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const model::Job job = read_ras_text(source_of(std::string_view(whole).substr(0, length)));
      EXPECT_LE(job.ranks.size(), 9U);
    }
  }
}

TEST(RasText, DoesNotSpendMemoryOnSizesThatAFileOnlyClaims) {
  std::string text = "Job summary\nCommunicators...\n 0 1 1 1 2000000000 2000000000 RUNNING MISMATCH\n";
  text += "#0-0 (a) MISMATCH\nCommunicator ranks have different AllReduce operation counts\n";
  text += "1999999999 ranks have launched up to operation 4\nRank 3 has launched up to operation 5\n";
  EXPECT_EQ(read_ras_text(source_of(text)).ranks.size(), 1U);
  EXPECT_THAT(read_ras_text(source_of("")).ranks, IsEmpty());
  EXPECT_FALSE(recognises_ras_text(source_of("Job summary: all well")));
}

}  // namespace
}  // namespace lockstep::readers
