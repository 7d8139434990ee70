#include "readers/horovod/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "readers/testing/dumps.h"

namespace lockstep::readers {
namespace {

using model::Event;
using model::EventState;
using model::Operation;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::seed;
using testing::source_of;

const model::RankHistory* rank(const model::Job& job, int number) {
  for (const model::RankHistory& history : job.ranks) {
    if (history.rank.number == number) return &history;
  }
  return nullptr;
}

const Event* event_named(const model::Job& job, int number, const std::string& name) {
  for (const Event& event : rank(job, number)->events) {
    if (job.names[event.name] == name) return &event;
  }
  return nullptr;
}

// Written by Horovod: rank 1 left out two allreduces.
TEST(HorovodTimeline, ShowsWhoDidNotArrive) {
  const std::string text = seed("horovod_timeline/rank_1_skips.json");
  ASSERT_TRUE(recognises_horovod_timeline(source_of(text)));
  const model::Job job = read_horovod_timeline(source_of(text));
  EXPECT_EQ(job.framework, "horovod");
  EXPECT_EQ(job.backend, "gloo");
  EXPECT_EQ(job.world_size, 3);
  ASSERT_EQ(job.ranks.size(), 3U);
  const Event* const waiting = event_named(job, 2, "allreduce.grad.bias");
  ASSERT_NE(waiting, nullptr);
  EXPECT_EQ(waiting->state, EventState::kIssued);
  EXPECT_EQ(job.collectives[waiting->collective].operation, Operation::kAllReduce);
  EXPECT_EQ(event_named(job, 1, "allreduce.grad.bias"), nullptr);
  EXPECT_EQ(event_named(job, 0, "allreduce.grad.bias")->sequence, waiting->sequence);
  EXPECT_THAT(job.communicators[waiting->communicator].members, ElementsAre(0, 1, 2));
}

TEST(HorovodTimeline, KnowsWhenEachRankCameAndWhenAllWereDone) {
  const model::Job job = read_horovod_timeline(source_of(seed("horovod_timeline/rank_1_skips.json")));
  const Event* const first = event_named(job, 0, "broadcast.model.weight");
  const Event* const second = event_named(job, 1, "broadcast.model.weight");
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->begin_ns - first->begin_ns, (127596 - 127418) * 1000);
  EXPECT_EQ(first->end_ns - first->begin_ns, (127779 - 127418) * 1000);
  EXPECT_EQ(second->end_ns, first->end_ns);
  EXPECT_EQ(first->state, EventState::kCompleted);
  EXPECT_GT(first->begin_ns, 1'700'000'000'000'000'000) << "wall clock";
}

TEST(HorovodTimeline, LeavesNothingOpenInAHealthyJob) {
  const model::Job job = read_horovod_timeline(source_of(seed("horovod_timeline/healthy.json")));
  ASSERT_EQ(job.ranks.size(), 2U);
  EXPECT_EQ(rank(job, 0)->events.size(), rank(job, 1)->events.size());
  for (const model::RankHistory& history : job.ranks) {
    for (const Event& event : history.events) EXPECT_EQ(event.state, EventState::kCompleted);
    ASSERT_EQ(history.progress.size(), 1U);
    EXPECT_GT(*history.progress[0].completed, static_cast<std::int64_t>(history.events.back().sequence))
        << "operations from the cache came later";
  }
  EXPECT_EQ(job.limits.size(), 1U);
}

std::string tensor(int pid, const std::string& name) {
  return R"({"name": "process_name", "ph": "M", "pid": )" + std::to_string(pid) + R"(, "args": {"name": ")" +
         name + "\"}},\n";
}
std::string record(const std::string& phase, const std::string& name, int time, int pid) {
  return R"({"ph": ")" + phase + R"(", "name": ")" + name + R"(", "ts": )" + std::to_string(time) +
         R"(, "pid": )" + std::to_string(pid) + "},\n";
}

TEST(HorovodTimeline, ReadsNamesThatNobodyEscaped) {
  const model::Job job = read_horovod_timeline(source_of(seed("horovod_timeline/trailing_comma.json")));
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks[0].rank.number, 1);
  EXPECT_EQ(job.names[job.ranks[0].events.at(0).name], R"(say "hi"\)");
  EXPECT_EQ(job.ranks[0].events[0].begin_ns, 12'000) << "without a start the times are relative";
  EXPECT_THAT(job.limits, IsEmpty());
}

TEST(HorovodTimeline, KeepsProcessSetsApart) {
  const auto done = [](int pid, std::initializer_list<const char*> ranks) {
    std::string text = tensor(pid, "t" + std::to_string(pid)) + record("B", "NEGOTIATE_ALLGATHER", 1, pid);
    for (const char* one : ranks) text += record("X", one, 2, pid);
    return text + record("E", "", 3, pid) + record("B", "ALLGATHER", 4, pid) + record("E", "", 5, pid);
  };
  const model::Job job =
      read_horovod_timeline(source_of("[\n" + done(1, {"1", "0", "2"}) + done(2, {"0", "2"})));
  ASSERT_EQ(job.communicators.size(), 2U);
  EXPECT_EQ(job.communicators.values()[0].name, "horovod");
  EXPECT_EQ(job.communicators.values()[1].name, "horovod process set 0, 2");
  EXPECT_THAT(job.communicators.values()[1].members, ElementsAre(0, 2));
  const Event& of_set = rank(job, 2)->events.at(1);
  EXPECT_EQ(job.communicators[of_set.communicator].name, "horovod process set 0, 2");
}

// A record is written when the next one comes: the last one of a job that was killed is not in the file.
TEST(HorovodTimeline, DoesNotTakeTheMissingLastRecordForAHang) {
  const std::string begun = "[\n" + tensor(1, "a") + record("B", "NEGOTIATE_ALLREDUCE", 1, 1) +
                            record("X", "0", 2, 1) + record("E", "", 3, 1) + record("B", "ALLREDUCE", 4, 1) +
                            record("B", "NCCL_ALLREDUCE", 5, 1);
  const model::Job inside = read_horovod_timeline(source_of(begun));
  EXPECT_EQ(inside.ranks.at(0).events.at(0).state, EventState::kStarted);
  const model::Job after = read_horovod_timeline(source_of(begun + record("E", "", 6, 1)));
  EXPECT_EQ(after.ranks.at(0).events.at(0).state, EventState::kUntracked);
  EXPECT_EQ(after.backend, "nccl");
}

TEST(HorovodTimeline, SaysWhenNobodyIsKnownToWait) {
  const std::string text = "[\n" + tensor(1, "a") + record("B", "NEGOTIATE_ALLREDUCE", 1, 1);
  const model::Job job = read_horovod_timeline(source_of(text));
  EXPECT_THAT(job.ranks, IsEmpty());
  EXPECT_THAT(job.limits, ElementsAre("input: 1 tensors wait for ranks, and it is not recorded for which"));
}

TEST(HorovodTimeline, ReadsWhatLiesBeforeACut) {
  const std::string whole = seed("horovod_timeline/rank_1_skips.json");
  std::size_t known = 0;
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const model::Job job = read_horovod_timeline(source_of(std::string_view(whole).substr(0, length)));
    std::size_t events = 0;
    for (const model::RankHistory& history : job.ranks) events += history.events.size();
    ASSERT_GE(events, known) << length;
    known = events;
  }
  EXPECT_EQ(known, 12U);
}

TEST(HorovodTimeline, SurvivesFilesWithoutRecords) {
  const std::string bracket = seed("horovod_timeline/only_bracket.json");
  EXPECT_TRUE(recognises_horovod_timeline(source_of(bracket)));
  EXPECT_THAT(read_horovod_timeline(source_of(bracket)).limits,
              ElementsAre("input: the timeline holds no tensors"));
  EXPECT_THAT(read_horovod_timeline(source_of("")).ranks, IsEmpty());
  EXPECT_FALSE(recognises_horovod_timeline(source_of("")));
  EXPECT_FALSE(recognises_horovod_timeline(source_of(R"([{"ph": "X", "name": "aten::mm"}])")));
  const std::string broken = "[" + record("B", "NEGOTIATE_\xff", 1, 1) + "{\"ph\": \"" +
                             std::string(3 << 20, 'x') + "\"}," + record("X", "999999999", 1, 1);
  EXPECT_THAT(read_horovod_timeline(source_of(broken)).ranks, IsEmpty());
}

}  // namespace
}  // namespace lockstep::readers
