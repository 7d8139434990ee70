// Real dumps, whole, pickled again and cut.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "readers/testing/dumps.h"

namespace lockstep::readers {
namespace {

using model::EventState;
using model::Operation;
using testing::dump_named;
using ::testing::ElementsAre;
using testing::expect_same_job;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::read_as;
using testing::read_dump;

TEST(FlightRecorderDumps, TellWhatTheRankDid) {
  const model::Job job = read_dump("gloo/nccl_trace_rank_0");
  EXPECT_THAT(job.limits, IsEmpty());
  EXPECT_EQ(job.framework, "pytorch");
  EXPECT_EQ(job.backend, "gloo");
  ASSERT_EQ(job.ranks.size(), 1U);
  const model::RankHistory& history = job.ranks.front();
  EXPECT_EQ(history.rank.number, 0);
  EXPECT_EQ(history.rank.recorder_version, "2.10");
  EXPECT_TRUE(history.begins_at_start);
  EXPECT_FALSE(history.lists_communicators);  // gloo's pg_config has one group without name and members
  EXPECT_THAT(history.progress, IsEmpty());   // gloo's pg_status counts what is not recorded
  ASSERT_EQ(history.events.size(), 10U);

  std::vector<Operation> operations;
  for (const model::Event& event : history.events)
    operations.push_back(job.collectives[event.collective].operation);
  EXPECT_THAT(operations,
              ElementsAre(Operation::kAllReduce, Operation::kBroadcast, Operation::kAllGather,
                          Operation::kAllToAll, Operation::kReduce, Operation::kBarrier, Operation::kGather,
                          Operation::kScatter, Operation::kAllReduce, Operation::kAllReduce));

  const model::Event& last = history.events.back();
  EXPECT_EQ(last.state, EventState::kIssued);
  EXPECT_EQ(history.events[8].state, EventState::kCompleted);
  EXPECT_EQ(last.sequence, 9U);
  EXPECT_EQ(last.position, 10U);
  EXPECT_GT(last.begin_ns, history.events.front().begin_ns);
  EXPECT_EQ(job.names[last.name], "all_reduce");
  EXPECT_EQ(job.collectives[last.collective].input_shapes, (std::vector<model::Shape>{{7}}));
  EXPECT_EQ(job.collectives[last.collective].input_types, std::vector{model::DataType::kBFloat16});
  EXPECT_EQ(job.stacks[last.stack].front().function, "all_reduce");
  EXPECT_EQ(job.stacks[last.stack][2].file, "/job/fixture.py");
  EXPECT_EQ(job.communicators[last.communicator].description, "default_pg");
  EXPECT_EQ(job.communicators[history.events[2].communicator].description, "pair");
}

TEST(FlightRecorderDumps, AreTheSameInPickleAndJson) {
  for (const std::string rank : {"0", "1"}) {
    expect_same_job(read_dump("gloo/without_stacks_rank_" + rank), read_dump("gloo/rank_" + rank + ".json"));
  }
}

TEST(FlightRecorderDumps, AreTheSameInEveryProtocol) {
  const model::Job original = read_dump("gloo/nccl_trace_rank_0");
  for (int protocol = 0; protocol <= 5; ++protocol) {
    SCOPED_TRACE(protocol);
    expect_same_job(original, read_dump("gloo/repickled_" + std::to_string(protocol) + "_rank_0"));
  }
}

// Reads every prefix of the dump; entries appear one after another and never go.
void expect_prefixes_give_entries(const std::string& dump, const std::string& name) {
  const std::string whole = dump_named(dump);
  const std::size_t all = read_as(name, whole).ranks.front().events.size();
  std::size_t before = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const model::Job job = read_as(name, std::string_view(whole).substr(0, size));
    ASSERT_EQ(job.ranks.size(), 1U);
    const std::size_t events = job.ranks.front().events.size();
    EXPECT_GE(events, before) << size;
    EXPECT_LE(events, before + 1) << size;
    before = events;
    EXPECT_EQ(job.ranks.front().rank.number, 0);
    ASSERT_FALSE(job.limits.empty()) << size;
  }
  EXPECT_EQ(before, all);
}

TEST(FlightRecorderDumps, CutAnywhereGiveTheEntriesBeforeTheCut) {
  expect_prefixes_give_entries("gloo/nccl_trace_rank_0", "rank_0");
  expect_prefixes_give_entries("gloo/rank_0.json", "rank_0.json");
  for (const std::string protocol : {"0", "2", "4"}) {
    expect_prefixes_give_entries("gloo/repickled_" + protocol + "_rank_0", "rank_0");
  }
}

TEST(FlightRecorderDumps, SayWhereTheyWereCut) {
  const std::string whole = dump_named("gloo/nccl_trace_rank_0");
  const model::Job job = read_as("dumps/rank_3", std::string_view(whole).substr(0, whole.size() - 100));
  EXPECT_THAT(job.limits, ElementsAre("dumps/rank_3: cut after 9 entries"));
  EXPECT_EQ(job.ranks.front().rank.number, 3);
}

TEST(FlightRecorderDumps, EveryByteMayBeWrong) {
  const std::string whole = dump_named("gloo/without_stacks_rank_0");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char wrong : {'\0', '(', 'R'}) {
      std::string damaged = whole;
      damaged[at] = wrong;
      const model::Job job = read_as("rank_0", damaged);
      EXPECT_EQ(job.ranks.size(), 1U);
    }
  }
}

}  // namespace
}  // namespace lockstep::readers
