#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "readers/format.h"
#include "readers/nccl/ras.h"
#include "readers/nccl/ras_findings.h"
#include "readers/testing/dumps.h"

namespace lockstep::readers {
namespace {

using model::Liveness;
using model::Operation;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::seed;
using testing::source_of;

const model::RankHistory* rank_counted(const model::Job& job, int number) {
  for (const model::RankHistory& history : job.ranks) {
    if (history.rank.number == number) return &history;
  }
  return nullptr;
}

std::optional<std::int64_t> launched(const model::Job& job, int number, std::string_view communicator,
                                     Operation operation) {
  const model::RankHistory* const history = rank_counted(job, number);
  if (history == nullptr) return std::nullopt;
  for (const model::Progress& progress : history->progress) {
    if (job.communicators[progress.communicator].name == communicator && progress.operation == operation) {
      return progress.issued;
    }
  }
  return std::nullopt;
}

TEST(RasJson, CountsWhatEachRankLaunched) {
  const std::string text = seed("nccl_ras_json/mismatch.json");
  ASSERT_TRUE(recognises_ras_json(source_of(text)));
  const model::Job job = read_ras_json(source_of(text));

  EXPECT_EQ(job.world_size, 3);
  EXPECT_EQ(job.backend, "nccl");
  EXPECT_THAT(job.sources, ElementsAre("input"));
  EXPECT_THAT(job.limits, IsEmpty());
  EXPECT_EQ(launched(job, 0, "0xda86134f342b51b6", Operation::kAllReduce), 4);
  EXPECT_EQ(launched(job, 1, "0xda86134f342b51b6", Operation::kAllReduce), 3);
  EXPECT_EQ(launched(job, 1, "0xda86134f342b51b6", Operation::kBroadcast), 2);
  EXPECT_EQ(launched(job, 0, "0xda86134f342b51b6", Operation::kReduce), std::nullopt) << "nobody did";
  ASSERT_NE(rank_counted(job, 2), nullptr);
  EXPECT_EQ(rank_counted(job, 2)->rank.pid, 438);
  EXPECT_EQ(rank_counted(job, 2)->rank.liveness, Liveness::kAlive);
  EXPECT_EQ(job.hosts.at(static_cast<std::size_t>(*rank_counted(job, 2)->rank.host)).name, "10.0.0.7");
}

TEST(RasJson, NumbersTheRanksOfSmallCommunicatorsByTheirProcess) {
  const model::Job job = read_ras_json(source_of(seed("nccl_ras_json/mismatch.json")));
  EXPECT_EQ(launched(job, 1, "0x711b81ced28e627c", Operation::kAllReduce), 1);
  EXPECT_EQ(launched(job, 2, "0x711b81ced28e627c", Operation::kAllReduce), 1);
  for (const model::Communicator& communicator : job.communicators.values()) {
    if (communicator.name != "0x711b81ced28e627c") continue;
    EXPECT_THAT(communicator.members, ElementsAre(1, 2));
  }
}

// NCCL 2.28.9 leaves out a comma in every missing rank.
TEST(RasJson, FindsTheProcessThatDoesNotAnswer) {
  const model::Job job = read_ras_json(source_of(seed("nccl_ras_json/stopped.json")));
  EXPECT_THAT(job.limits, IsEmpty());
  ASSERT_EQ(job.ranks.size(), 3U);
  EXPECT_EQ(rank_counted(job, 2)->rank.liveness, Liveness::kUnresponsive);
  EXPECT_EQ(rank_counted(job, 2)->rank.pid, 438);
  EXPECT_EQ(rank_counted(job, 0)->rank.liveness, Liveness::kAlive);
}

TEST(RasJson, HearsOfTheDead) {
  const std::string text = seed("nccl_ras_json/monitor.json");
  ASSERT_TRUE(recognises_ras_json(source_of(text)));
  const model::Job job = read_ras_json(source_of(text));
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks[0].rank.liveness, Liveness::kDead);
  EXPECT_EQ(job.ranks[0].rank.pid, 438);
  EXPECT_EQ(job.ranks[0].rank.number, model::kUnknownRank);
}

std::string communicator(const std::string& hash, int size, const std::string& ranks) {
  return R"({"hash": ")" + hash + R"(", "size": )" + std::to_string(size) + R"(, "ranks": [)" + ranks +
         R"(], "missing_ranks": []})";
}
std::string member(int rank, int pid, int init_state = 0, int async_error = 0, int all_reduces = 1) {
  return R"({"rank": )" + std::to_string(rank) + R"(, "host": "h", "pid": )" + std::to_string(pid) +
         R"(, "cuda_dev": 0, "status": {"init_state": )" + std::to_string(init_state) +
         R"(, "async_error": )" + std::to_string(async_error) + R"(}, "collective_counts": {"AllReduce": )" +
         std::to_string(all_reduces) + "}}";
}
std::string report(const std::string& communicators) {
  return R"({"nccl_version": "2.30.7", "cuda_driver_version": 1, "communicators": [)" + communicators + "]}";
}

TEST(RasJson, NumbersNobodyWithoutACommunicatorThatSpansTheJob) {
  const std::string text = report(communicator("0xa", 2, member(0, 10) + "," + member(1, 11)) + "," +
                                  communicator("0xb", 2, member(0, 12) + "," + member(1, 13)));
  const model::Job job = read_ras_json(source_of(text));
  ASSERT_EQ(job.ranks.size(), 4U);
  for (const model::RankHistory& history : job.ranks) {
    EXPECT_EQ(history.rank.number, model::kUnknownRank);
    EXPECT_TRUE(history.rank.pid);
  }
  EXPECT_EQ(job.world_size, std::nullopt);
}

TEST(RasJson, ShowsWhoIsStuckMakingACommunicator) {
  const std::string text = report(communicator("0xa", 2, member(0, 10, 7) + "," + member(1, 11)));
  const model::Job job = read_ras_json(source_of(text));
  ASSERT_EQ(rank_counted(job, 0)->events.size(), 1U);
  EXPECT_EQ(rank_counted(job, 0)->events[0].state, model::EventState::kIssued);
  EXPECT_EQ(job.collectives[rank_counted(job, 0)->events[0].collective].operation,
            Operation::kCreateCommunicator);
  EXPECT_EQ(rank_counted(job, 1)->events.at(0).state, model::EventState::kCompleted);
}

TEST(RasJson, KeepsErrors) {
  const std::string text = report(communicator("0xa", 2, member(0, 10, 0, 6) + "," + member(1, 11, 2)));
  const model::Job job = read_ras_json(source_of(text));
  ASSERT_EQ(rank_counted(job, 0)->failures.size(), 1U);
  EXPECT_EQ(rank_counted(job, 0)->failures[0].message,
            "NCCL communicator 0xa: asynchronous remote process error");
  ASSERT_EQ(rank_counted(job, 1)->failures.size(), 1U);
  EXPECT_EQ(rank_counted(job, 1)->failures[0].message, "NCCL communicator 0xa: initialization system error");
}

TEST(RasJson, BelievesTheLastOfSeveralReports) {
  const std::string text = report(communicator("0xa", 2, member(0, 10, 0, 0, 5) + "," + member(1, 11))) +
                           "\nOK\n" +
                           report(communicator("0xa", 2, member(0, 10, 0, 0, 9) + "," + member(1, 11)));
  const model::Job job = read_ras_json(source_of(text));
  EXPECT_EQ(launched(job, 0, "0xa", Operation::kAllReduce), 9);
  EXPECT_EQ(rank_counted(job, 0)->progress.size(), 1U);
}

TEST(RasJson, UsesWhatLiesBeforeACut) {
  const std::string whole = seed("nccl_ras_json/stopped.json");
  const std::string_view text(whole);
  std::size_t known = 0;
  for (std::size_t length = 0; length < text.size(); ++length) {
    const model::Job job = read_ras_json(source_of(text.substr(0, length)));
    EXPECT_LE(job.ranks.size(), 3U);
    EXPECT_GE(job.ranks.size(), known) << "a longer file told less at " << length;
    known = job.ranks.size();
    const bool is_inside = length > text.find('{') && length < text.size() - 1;
    EXPECT_EQ(job.limits.empty(), !is_inside) << length;
  }
  EXPECT_EQ(known, 3U);
}

TEST(RasJson, SurvivesBrokenText) {
  std::string text = seed("nccl_ras_json/mismatch.json");
  text[text.find("10.0.0.7")] = '\xff';
  const model::Job job = read_ras_json(source_of(text));
  EXPECT_THAT(job.limits, ElementsAre("input: 1 entries of the RAS report could not be read"));
  EXPECT_THAT(read_ras_json(source_of("")).ranks, IsEmpty());
  EXPECT_FALSE(recognises_ras_json(source_of("")));
  EXPECT_FALSE(recognises_ras_json(source_of(R"({"version": "2.4", "entries": []})")));
}

TEST(RasShares, AreNotNamedWhereThereAreMoreThanAJobCanHave) {
  constexpr int kMost = std::numeric_limits<int>::max();
  std::vector<RasShare> shares(1);
  shares.front().ranks = kMost;
  name_the_rest(shares, kMost, {});
  EXPECT_THAT(shares.front().named, IsEmpty());
  shares.front().ranks = 3;
  name_the_rest(shares, 3, {});
  EXPECT_THAT(shares.front().named, ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace lockstep::readers
