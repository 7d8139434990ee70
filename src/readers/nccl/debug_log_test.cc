#include "readers/nccl/debug_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/lines.h"
#include "readers/testing/dumps.h"

namespace lockstep::readers {
namespace {

using model::Event;
using model::EventKind;
using model::EventState;
using model::Operation;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::seed;
using testing::source_of;

const model::RankHistory* history_of(const model::Job& job, int number) {
  for (const model::RankHistory& history : job.ranks) {
    if (history.rank.number == number) return &history;
  }
  return nullptr;
}

// "1 all_reduce", for the events of one rank in one communicator.
std::vector<std::string> calls(const model::Job& job, int number, const std::string& communicator) {
  std::vector<std::string> found;
  const model::RankHistory* const history = history_of(job, number);
  if (history == nullptr) return found;
  for (const Event& event : history->events) {
    if (job.communicators[event.communicator].name != communicator) continue;
    const auto name = std::string(model::name_of(job.collectives[event.collective].operation));
    found.push_back((event.sequence == model::kNoSequence ? "-" : std::to_string(event.sequence)) + " " +
                    name);
  }
  return found;
}

TEST(NcclDebugLog, TellsWhichRankCalledWhat) {
  const std::string text = seed("nccl_debug_log/three_ranks");
  ASSERT_TRUE(recognises_nccl_debug_log(source_of(text)));
  const model::Job job = read_nccl_debug_log(source_of(text));
  EXPECT_THAT(job.limits, IsEmpty());
  EXPECT_EQ(job.world_size, 3);
  ASSERT_EQ(job.ranks.size(), 3U);
  const std::string world = "0xda86134f342b51b6";
  EXPECT_THAT(calls(job, 0, world),
              ElementsAre("0 create_communicator", "1 all_reduce", "2 broadcast", "3 all_reduce",
                          "4 all_gather", "5 all_reduce", "6 all_reduce"));
  EXPECT_THAT(calls(job, 1, world),
              ElementsAre("0 create_communicator", "1 all_reduce", "2 broadcast", "3 all_reduce",
                          "4 all_gather", "5 all_reduce", "6 broadcast"));
  EXPECT_THAT(calls(job, 2, "0x9e586331b9f4118d"), ElementsAre("0 create_communicator", "- receive"));
  EXPECT_EQ(history_of(job, 2)->rank.pid, 438);
}

TEST(NcclDebugLog, KeepsTheArguments) {
  const model::Job job = read_nccl_debug_log(source_of(seed("nccl_debug_log/three_ranks")));
  const std::vector<Event>& events = history_of(job, 0)->events;
  const model::Collective& half = job.collectives[events.at(3).collective];
  EXPECT_EQ(half.reduce_op, model::ReduceOp::kMaximum);
  EXPECT_THAT(half.input_types, ElementsAre(model::DataType::kFloat16));
  EXPECT_THAT(half.input_shapes, ElementsAre(model::Shape{1024}));
  EXPECT_EQ(half.peer, std::nullopt);
  EXPECT_EQ(job.collectives[events.at(2).collective].peer, 1) << "the root of a broadcast";
  const model::Collective& gather = job.collectives[events.at(4).collective];
  EXPECT_THAT(gather.output_shapes, ElementsAre(model::Shape{3072}));
  EXPECT_EQ(gather.reduce_op, model::ReduceOp::kNone);
  const auto send = std::ranges::find(events, EventKind::kPointToPoint, &Event::kind);
  ASSERT_NE(send, events.end());
  EXPECT_EQ(job.collectives[send->collective].peer, 1);
  EXPECT_EQ(send->state, EventState::kUntracked);
}

TEST(NcclDebugLog, FindsItsLinesBehindWhatLaunchersPrint) {
  const model::Job job = read_nccl_debug_log(source_of(seed("nccl_debug_log/prefixes")));
  ASSERT_EQ(job.ranks.size(), 3U);
  EXPECT_THAT(calls(job, 3, "0xc0ffee"), ElementsAre("0 create_communicator"));
  EXPECT_EQ(history_of(job, 3)->events[0].state, EventState::kIssued)
      << "it never got out of the initialization";
  EXPECT_EQ(history_of(job, 3)->events[0].position, 2U);
  EXPECT_EQ(history_of(job, 3)->rank.pid, 31);
  EXPECT_EQ(history_of(job, 0)->events[0].state, EventState::kCompleted);
  EXPECT_EQ(job.hosts.size(), 2U);
  EXPECT_EQ(job.hosts[0].name, "node-a");
  EXPECT_EQ(job.hosts[1].name, "node-a.example");
  EXPECT_THAT(calls(job, 0, "0xc0ffee splitCount 1 color 5"), ElementsAre("0 create_communicator"));
}

std::string init(int pid, const std::string& pointer, int rank, int ranks, const std::string& rest) {
  return "n:" + std::to_string(pid) + ":1 [0] NCCL INFO x comm " + pointer + " rank " + std::to_string(rank) +
         " nranks " + std::to_string(ranks) + " cudaDev 0 nvmlDev 0 busId 1 " + rest + "\n";
}
std::string call(int pid, const std::string& name, int launch, const std::string& pointer, int root = 0) {
  return "n:" + std::to_string(pid) + ":1 [0] NCCL INFO " + name + ": opCount " + std::to_string(launch) +
         " sendbuff 0x1 recvbuff (nil) count 8 datatype 7 op 0 root " + std::to_string(root) + " comm " +
         pointer + " [nranks=2] stream (nil)\n";
}

// opCount counts launches of the process: sends that only two ranks do would shift their collectives.
TEST(NcclDebugLog, DoesNotCountSendsAmongCollectives) {
  const std::string text =
      init(5, "0xa", 0, 2, "commId 0x1 - Init COMPLETE") + call(5, "AllReduce", 0, "0xa") +
      call(5, "Send", 1, "0xa", 1) + call(5, "Recv", 1, "0xa", 1) + call(5, "AllReduce", 2, "0xa") +
      call(5, "Send", 3, "0xa", 1) + call(5, "AllGather", 3, "0xa") + call(5, "Broadcast", 4, "0xa");
  const model::Job job = read_nccl_debug_log(source_of(text));
  EXPECT_THAT(calls(job, 0, "0x1"),
              ElementsAre("0 create_communicator", "1 all_reduce", "- send", "- receive", "2 all_reduce",
                          "- send", "3 all_gather", "4 broadcast"));
}

TEST(NcclDebugLog, GivesTheOperationsOfOneGroupOneNumber) {
  const std::string text = init(5, "0xa", 0, 2, "commId 0x1 - Init COMPLETE") +
                           call(5, "AllReduce", 7, "0xa") + call(5, "AllGather", 7, "0xa");
  EXPECT_THAT(calls(read_nccl_debug_log(source_of(text)), 0, "0x1"),
              ElementsAre("0 create_communicator", "8 all_reduce", "8 all_gather"));
}

// All under number 0: one line that was lost would make the ranks' calls differ from there on.
TEST(NcclDebugLog, OperationsThatNobodyCountedAreLeftOut) {
  std::string text = init(5, "0xa", 0, 2, "commId 0x1 - Init COMPLETE");
  for (int i = 0; i < 20; ++i) text += call(5, i % 2 == 0 ? "AllReduce" : "AllGather", 0, "0xa");
  const model::Job job = read_nccl_debug_log(source_of(text));
  EXPECT_THAT(calls(job, 0, "0x1"), ElementsAre("0 create_communicator"));
  EXPECT_THAT(job.limits, ElementsAre(::testing::HasSubstr("did not count")));
  EXPECT_THAT(calls(read_nccl_debug_log(source_of(text + call(5, "AllReduce", 1, "0xa"))), 0, "0x1"),
              ::testing::SizeIs(22))
      << "a large group, then the next";
}

TEST(NcclDebugLog, RecognisesASplitThatOneRankDidNotFinish) {
  const std::string split = "parent 0xa splitCount 2 color 4 key 0- Init START";
  const std::string text = init(5, "0xa", 0, 2, "commId 0x1 - Init COMPLETE") +
                           init(6, "0xa", 1, 2, "commId 0x1 - Init COMPLETE") + init(5, "0xb", 0, 2, split) +
                           init(6, "0xc", 1, 2, split) + init(5, "0xb", 0, 2, "commId 0x77 - Init COMPLETE");
  const model::Job job = read_nccl_debug_log(source_of(text));
  EXPECT_THAT(calls(job, 0, "0x77"), ElementsAre("0 create_communicator"));
  EXPECT_THAT(calls(job, 1, "0x77"), ElementsAre("0 create_communicator"));
  EXPECT_EQ(history_of(job, 1)->events.back().state, EventState::kIssued);
  EXPECT_EQ(history_of(job, 0)->events.back().state, EventState::kCompleted);
}

TEST(NcclDebugLog, ForgetsACommunicatorWhoseAddressIsUsedAgain) {
  const std::string text =
      init(5, "0xa", 0, 2, "commId 0x1 - Init COMPLETE") + call(5, "AllReduce", 0, "0xa") +
      init(5, "0xa", 1, 2, "commId 0x2 - Init COMPLETE") + call(5, "AllGather", 0, "0xa");
  const model::Job job = read_nccl_debug_log(source_of(text));
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.communicators[job.ranks[0].events.back().communicator].name, "0x2");
}

TEST(NcclDebugLog, SaysWhenItDoesNotShowTheBeginning) {
  const model::Job job = read_nccl_debug_log(source_of(call(5, "AllReduce", 9, "0xa")));
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks[0].rank.number, model::kUnknownRank);
  EXPECT_FALSE(job.ranks[0].begins_at_start);
  EXPECT_EQ(job.limits.size(), 1U);
}

TEST(NcclDebugLog, CannotMatchCommunicatorsWithoutAnId) {
  const std::string text = init(5, "0xa", 0, 2, "- Init COMPLETE") + init(6, "0xa", 1, 2, "- Init COMPLETE");
  const model::Job job = read_nccl_debug_log(source_of(text));
  EXPECT_EQ(job.communicators.size(), 2U);
  EXPECT_NE(history_of(job, 1), nullptr) << "their ranks are known all the same";
  EXPECT_EQ(job.limits.size(), 1U);
}

RC_GTEST_PROP(NcclDebugLog, GivesEachRankTheSameEventsHoweverLinesAreMixed, ()) {
  std::map<std::string, std::vector<std::string>> by_process;
  const std::string text = seed("nccl_debug_log/three_ranks");
  base::Lines lines(text);
  while (const auto line = lines.next()) {
    const std::size_t at = line->find("node-a:");
    by_process[std::string(line->substr(at, 10))].push_back(std::string(*line) + "\n");
  }
  std::string mixed;
  while (!by_process.empty()) {
    auto chosen = by_process.begin();
    std::advance(chosen, *rc::gen::inRange<std::size_t>(0, by_process.size()));
    mixed += chosen->second.front();
    chosen->second.erase(chosen->second.begin());
    if (chosen->second.empty()) by_process.erase(chosen);
  }
  const model::Job first = read_nccl_debug_log(source_of(text));
  const model::Job second = read_nccl_debug_log(source_of(mixed));
  for (const model::Communicator& communicator : first.communicators.values()) {
    for (int number = 0; number < 3; ++number) {
      RC_ASSERT(calls(first, number, communicator.name) == calls(second, number, communicator.name));
    }
  }
}

TEST(NcclDebugLog, ReadsWhatLiesBeforeACut) {
  const std::string whole = seed("nccl_debug_log/three_ranks");
  std::size_t known = 0;
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const model::Job job = read_nccl_debug_log(source_of(std::string_view(whole).substr(0, length)));
    std::size_t events = 0;
    for (const model::RankHistory& history : job.ranks) events += history.events.size();
    ASSERT_GE(events, known) << length;
    known = events;
  }
  EXPECT_EQ(known, 29U);
}

TEST(NcclDebugLog, SurvivesTextThatIsNone) {
  const std::string enormous = std::string(1 << 22, 'x') + " NCCL INFO " + std::string(1 << 22, ':');
  EXPECT_THAT(read_nccl_debug_log(source_of(enormous)).ranks, IsEmpty());
  EXPECT_THAT(read_nccl_debug_log(source_of("\xff\xfe:1:2 [0] NCCL INFO \xff")).ranks, IsEmpty());
  EXPECT_THAT(read_nccl_debug_log(source_of("")).ranks, IsEmpty());
  EXPECT_FALSE(recognises_nccl_debug_log(source_of("a log of something else")));
  EXPECT_TRUE(recognises_nccl_debug_log(source_of(std::string(100'000, '\n') + "h:1:1 [0] NCCL INFO x")));
}

}  // namespace
}  // namespace lockstep::readers
