#include "readers/pytorch/clog.h"

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

std::vector<EventState> states(const model::Job& job) {
  std::vector<EventState> found;
  for (const Event& event : job.ranks.at(0).events) found.push_back(event.state);
  return found;
}

TEST(Clog, TellsHowFarEachCallGot) {
  const std::string text = seed("clog/v1");
  ASSERT_TRUE(recognises_clog(source_of(text)));
  const model::Job job = read_clog(source_of(text));
  EXPECT_THAT(states(job), ElementsAre(EventState::kCompleted, EventState::kCompleted, EventState::kStarted,
                                       EventState::kUntracked, EventState::kCompleted, EventState::kStarted));
  const std::vector<Event>& events = job.ranks.at(0).events;
  EXPECT_EQ(events[0].sequence, 1U);
  EXPECT_EQ(events[1].sequence, model::kNoSequence) << "a send";
  EXPECT_EQ(events[2].sequence, 2U);
  EXPECT_EQ(events[4].sequence, model::kNoSequence) << "a replay";
  EXPECT_EQ(events[0].begin_ns, 1714234567891000000);
  EXPECT_EQ(events[0].end_ns, 1714234567895000000);
  EXPECT_EQ(events[2].position, 10U);
}

TEST(Clog, KnowsTheRankAndTheMembersOfSplits) {
  const model::Job job = read_clog(source_of(seed("clog/v1")));
  EXPECT_EQ(job.framework, "pytorch");
  EXPECT_EQ(job.world_size, 4);
  EXPECT_EQ(job.ranks.at(0).rank.number, 2);
  ASSERT_EQ(job.communicators.size(), 2U);
  EXPECT_THAT(job.communicators.values()[0].members, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(job.communicators.values()[1].members, ElementsAre(0, 2));
  EXPECT_EQ(job.communicators.values()[1].name, "pipe");
}

TEST(Clog, KeepsTheArguments) {
  const model::Job job = read_clog(source_of(seed("clog/v1")));
  const std::vector<Event>& events = job.ranks.at(0).events;
  const model::Collective& reduction = job.collectives[events[0].collective];
  EXPECT_EQ(reduction.operation, Operation::kAllReduce);
  EXPECT_EQ(reduction.reduce_op, model::ReduceOp::kSum);
  EXPECT_THAT(reduction.input_types, ElementsAre(model::DataType::kFloat32));
  EXPECT_THAT(reduction.input_shapes, ElementsAre(model::Shape{1024}));
  const model::Collective& send = job.collectives[events[1].collective];
  EXPECT_EQ(send.operation, Operation::kSend);
  EXPECT_EQ(send.peer, 0);
  EXPECT_THAT(send.output_shapes, IsEmpty());
}

TEST(Clog, SharesASignatureAmongCallsInTheirOrder) {
  const std::string text =
      "V|1|base_timestamp=1.000\nnew_comm|comm=w|rank=0|world_size=2\nC1|sig|barrier|async_op=t|comm=w\n"
      "C1|Q|work_id=1|+0.001\nC1|Q|work_id=2|+0.002\nC1|S|+0.003\nC1|E|+0.004\nC1|S|+0.005\n";
  const model::Job job = read_clog(source_of(text));
  EXPECT_THAT(states(job), ElementsAre(EventState::kCompleted, EventState::kStarted));
}

TEST(Clog, DoesNotCallAQueuedCallUnfinishedWhereTheLogCannotTell) {
  const std::string text =
      "V|1|base_timestamp=1.000\nnew_comm|comm=w|rank=0|world_size=2\nC1|sig|barrier|async_op=t|comm=w\n"
      "C1|Q|work_id=1|+0.001\n";
  const model::Job job = read_clog(source_of(text));
  EXPECT_THAT(states(job), ElementsAre(EventState::kUntracked));
  EXPECT_THAT(job.limits, ElementsAre("input: tells what was enqueued, not what started or ended"));
}

TEST(Clog, ReadsListsOfCounts) {
  const std::string text =
      "V|1|base_timestamp=1.000\nnew_comm|comm=w|rank=0|world_size=2\n"
      "C1|sig|all_gather|in_count=4|out_counts=4,5|dtype=i64|async_op=f|comm=w\n"
      "C2|sig|all_to_all_v_single|in_splits=1,2|out_splits=2,1|dtype=u8|async_op=f|comm=w\n"
      "C1|Q|work_id=1|+0.001\nC2|Q|work_id=2|+0.002\n";
  const model::Job job = read_clog(source_of(text));
  const std::vector<Event>& events = job.ranks.at(0).events;
  EXPECT_THAT(job.collectives[events.at(0).collective].output_shapes,
              ElementsAre(model::Shape{4}, model::Shape{5}));
  EXPECT_THAT(job.collectives[events.at(1).collective].input_shapes, ElementsAre(model::Shape{1, 2}));
}

TEST(Clog, SaysWhatItCouldNotRead) {
  const std::string whole = seed("clog/v1");
  const model::Job job = read_clog(source_of(whole + "C9|Q|work_id=1|+1.0\nnonsense\n\xff|\xff\nC1|Q|wor"));
  EXPECT_THAT(job.limits,
              ElementsAre("input: 3 lines could not be read", "input: cut in line 23",
                          "input: its writer warns 1 times, first: graph replay event for unknown "
                          "graph_id 7"));
}

TEST(Clog, ReadsWhatLiesBeforeACut) {
  const std::string whole = seed("clog/v1");
  std::size_t known = 0;
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const model::Job job = read_clog(source_of(std::string_view(whole).substr(0, length)));
    ASSERT_GE(job.ranks.at(0).events.size(), known);
    known = job.ranks.at(0).events.size();
  }
  EXPECT_EQ(known, 6U);
}

TEST(Clog, SurvivesHostileText) {
  const std::string line = "V|1|base_timestamp=1e400\nnew_comm|comm=w|rank=0|world_size=2147483647\n" +
                           std::string(1 << 22, '|') +
                           "\nG1|R1|R1|\nC|\nC1\n|\nsplit|parent=a|child=a|ranks=0,-1\n";
  const model::Job job = read_clog(source_of(line));
  EXPECT_EQ(job.world_size, std::nullopt);
  EXPECT_FALSE(recognises_clog(source_of("")));
  EXPECT_FALSE(recognises_clog(source_of("V|2|base_timestamp=1")));
}

}  // namespace
}  // namespace lockstep::readers
