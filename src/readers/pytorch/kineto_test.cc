// Traces of real two-rank jobs: PyTorch 2.11 over NCCL and PyTorch 2.13 over Gloo.
#include "readers/pytorch/kineto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "readers/format.h"
#include "readers/pytorch/kineto_calls.h"
#include "readers/pytorch/kineto_entry.h"
#include "readers/testing/dumps.h"

namespace lockstep::readers {
namespace {

using model::EventState;
using model::Operation;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::seed;

model::Job read_trace(const std::string& bytes, const char* path = "traces/trace.json") {
  const Source source{.name = "trace.json", .path = path, .bytes = bytes};
  const Format* found = sniff(source);
  EXPECT_NE(found, nullptr);
  if (found == nullptr) return {};
  EXPECT_EQ(found->name, "Kineto trace");
  return found->read(source);
}

// "all_reduce 0 completed", by name of the group.
std::vector<std::string> calls_of(const model::Job& job) {
  std::vector<std::string> calls;
  for (const model::Event& event : job.ranks.at(0).events) {
    if (event.kind == model::EventKind::kActivity) continue;
    std::string text(name_of(job.collectives[event.collective].operation));
    if (event.communicator != model::CommunicatorId::kNone) {
      text += " " + job.communicators[event.communicator].name;
    }
    text += event.state == EventState::kCompleted ? " completed" : "";
    calls.push_back(text);
  }
  return calls;
}

const model::Event& first(const model::Job& job, Operation operation) {
  for (const model::Event& event : job.ranks.at(0).events) {
    if (event.kind != model::EventKind::kActivity &&
        job.collectives[event.collective].operation == operation) {
      return event;
    }
  }
  ADD_FAILURE() << "no " << name_of(operation);
  return job.ranks.at(0).events.at(0);
}

std::vector<std::uint64_t> steps_of(const model::Job& job) {
  std::vector<std::uint64_t> steps;
  for (const model::Event& event : job.ranks.at(0).events) {
    if (event.kind == model::EventKind::kActivity) steps.push_back(event.sequence);
  }
  return steps;
}

TEST(Kineto, JoinsOperationsOfNcclWithTheirKernels) {
  const model::Job job = read_trace(seed("kineto/nccl_rank1.json"));
  EXPECT_THAT(calls_of(job),
              ElementsAre("all_reduce 0 completed", "all_reduce 1 completed", "broadcast 0 completed",
                          "all_gather 0 completed", "all_to_all 0 completed", "reduce 0 completed",
                          "reduce_scatter 0 completed", "receive 0 completed", "send 0", "receive 0",
                          "barrier 0 completed"))
      << "the batched send and receive share a kernel that names neither";
  EXPECT_THAT(steps_of(job), ElementsAre(2, 3)) << "not again from the device";
}

TEST(Kineto, AKernelSaysWhenAndItsOperationWhat) {
  const model::Job job = read_trace(seed("kineto/nccl_rank1.json"));
  const model::Event& event = first(job, Operation::kAllGather);
  EXPECT_EQ(event.begin_ns, 1'790'857'026'000'000'000 + 3'888'525'668'135'351);
  EXPECT_EQ(event.end_ns - event.begin_ns, 4'523'969);
  EXPECT_FALSE(event.only_duration);
  EXPECT_EQ(event.thread, 457U);
  const model::Collective& collective = job.collectives[event.collective];
  EXPECT_THAT(collective.input_types, ElementsAre(model::DataType::kInt64));
  EXPECT_THAT(collective.input_shapes, ElementsAre(model::Shape{6}));
  EXPECT_THAT(collective.output_shapes, ElementsAre(model::Shape{12}));
  EXPECT_EQ(collective.peer, std::nullopt);
  EXPECT_EQ(job.collectives[first(job, Operation::kBroadcast).collective].peer, 1);
  EXPECT_EQ(job.collectives[first(job, Operation::kReduce).collective].peer, 0);
  EXPECT_EQ(job.collectives[first(job, Operation::kReceive).collective].peer, 0);
}

TEST(Kineto, TheHeadTellsRankAndGroups) {
  const model::Job job = read_trace(seed("kineto/nccl_rank1.json"), "traces/rank7.json");
  const model::RankHistory& history = job.ranks.at(0);
  EXPECT_EQ(history.rank.number, 1) << "the trace knows better than its name";
  EXPECT_EQ(history.rank.pid, 457);
  EXPECT_FALSE(history.begins_at_start);
  EXPECT_TRUE(history.lists_communicators);
  EXPECT_EQ(history.communicators.size(), 2U);
  EXPECT_EQ(job.world_size, 2);
  EXPECT_EQ(job.backend, "nccl");
  EXPECT_EQ(job.framework, "pytorch");
  const model::Communicator& world = job.communicators[first(job, Operation::kBroadcast).communicator];
  EXPECT_EQ(world.description, "default_pg");
  EXPECT_EQ(world.backend, "nccl");
  EXPECT_THAT(world.members, ElementsAre(0, 1));
  EXPECT_THAT(job.limits, ElementsAre(HasSubstr("are not numbered")));
}

TEST(Kineto, JoinsOperationsOfGlooWithTheirAnnotations) {
  const model::Job job = read_trace(seed("kineto/gloo_rank1.json"));
  EXPECT_THAT(calls_of(job),
              ElementsAre("all_reduce completed", "all_reduce completed", "broadcast completed",
                          "all_gather completed", "receive completed", "barrier completed"));
  const model::Event& event = first(job, Operation::kBroadcast);
  EXPECT_EQ(event.begin_ns, 1'790'857'026'000'000'000 + 3'888'392'496'559'873);
  EXPECT_EQ(event.end_ns - event.begin_ns, 471'107);
  EXPECT_EQ(job.collectives[event.collective].peer, 1) << "from the operation";
  EXPECT_THAT(job.collectives[event.collective].input_shapes, ElementsAre(model::Shape{3, 2}));
  EXPECT_THAT(job.collectives[event.collective].input_types, ElementsAre(model::DataType::kInt64));
  EXPECT_EQ(event.communicator, model::CommunicatorId::kNone) << "there are two groups and it names none";
  EXPECT_EQ(job.hosts.at(0).name, "node-a");
  EXPECT_THAT(steps_of(job), ElementsAre(2, 3));
}

std::string numbered_trace(std::string_view name = "all_reduce") {
  return R"json({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 64},
  "traceEvents": [
  {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
   "pid": 0, "tid": 20, "ts": 150.5, "dur": 20.25,
   "args": {"Collective name": "allreduce", "Process Group Name": "5", "Seq": 41, "Group size": 32,
            "Process Group Ranks": "[1, 3, 5, 7, ...]"}},
  {"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 9, "tid": 9, "ts": 100, "dur": 5,
   "args": {"Collective name": ")json" +
         std::string(name) + R"json(", "dtype": "BFloat16", "In msg nelems": 4096, "Out msg nelems": 4096,
            "Process Group Name": "5", "Seq": "41", "Group size": 32, "Global rank start": 1,
            "Global rank stride": 2, "Process Group Ranks": "[1, 3, 5, 7, ...]"}}
  ]})json";
}

TEST(Kineto, GroupAndNumberJoinWhereThereIsNoExternalId) {
  const model::Job job = read_trace(numbered_trace());
  ASSERT_THAT(calls_of(job), ElementsAre("all_reduce 5 completed"));
  const model::Event& event = job.ranks[0].events[0];
  EXPECT_EQ(event.sequence, 41U);
  EXPECT_EQ(event.begin_ns, 150'500);
  EXPECT_EQ(event.end_ns, 170'750);
  EXPECT_TRUE(event.only_duration) << "the trace does not say since when it counts";
  EXPECT_EQ(event.position, 2U);
  EXPECT_THAT(job.limits, IsEmpty());
}

TEST(Kineto, AListOfRanksThatWasCutIsCompletedFromItsStride) {
  const std::string trace = numbered_trace();
  const std::size_t kernel = trace.find("{\"ph\"");
  const std::size_t call = trace.find("{\"ph\"", kernel + 1);
  const model::Job job = read_trace(trace.substr(0, kernel) + trace.substr(call));
  const model::Communicator& group = job.communicators[job.ranks.at(0).events.at(0).communicator];
  ASSERT_EQ(group.members.size(), 32U);
  EXPECT_EQ(group.members[1], 3);
  EXPECT_EQ(group.members[31], 63);
}

TEST(Kineto, RawControlCharactersAndBadUtf8DoNotLoseAnEvent) {
  const model::Job job = read_trace(numbered_trace("all\x01_reduce\n\xFF"));
  EXPECT_THAT(calls_of(job), ElementsAre("all_reduce 5 completed"));
  EXPECT_THAT(job.limits, IsEmpty());
}

TEST(Kineto, AnEntryThatCannotBeReadIsCounted) {
  std::string broken = numbered_trace();
  broken.replace(broken.find("\"dur\": 5"), 8, "\"dur\": x");
  const model::Job job = read_trace(broken);
  EXPECT_THAT(job.limits, ElementsAre("trace.json: 1 entries could not be read"));
}

TEST(Kineto, PlainChromeTracesGiveStepsAtMost) {
  const model::Job job = read_trace(
      R"({"traceEvents": [{"args": {"name": "ProfilerStep#9"}, "ph": "M", "name": "process_name"},
          {"args": {"name": "x"}, "ph": "X", "ts": 1, "dur": 2, "name": "ProfilerStep#4"}]})",
      "traces/rank3.json");
  EXPECT_THAT(steps_of(job), ElementsAre(4));
  EXPECT_THAT(calls_of(job), IsEmpty());
  EXPECT_EQ(job.ranks[0].rank.number, 3);
}

TEST(Kineto, CutAnywhereItKeepsWhatCameBefore) {
  for (const char* name : {"kineto/gloo_rank1.json", "kineto/nccl_rank1.json"}) {
    const std::string whole = seed(name);
    const std::size_t all = read_trace(whole).ranks.at(0).events.size();
    const std::size_t stride = whole.size() > 20'000 ? 7 : 1;
    for (std::size_t size = 0; size < whole.size(); size += stride) {
      const std::string cut = whole.substr(0, size);
      const Source source{.name = "trace.json", .path = "trace.json", .bytes = cut};
      if (sniff(source) == nullptr) continue;
      const model::Job job = read_kineto(source);
      const bool is_closed = size > whole.rfind("],");
      ASSERT_TRUE(is_closed || !job.limits.empty()) << name << " cut at " << size;
      if (!job.ranks.empty()) {
        ASSERT_LE(job.ranks[0].events.size(), all) << name << " cut at " << size;
      }
    }
  }
}

TEST(CommWords, KnowTheManyNamesOfAnOperation) {
  const auto expect = [](Operation operation, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) EXPECT_EQ(pytorch_operation(name), operation) << name;
  };
  expect(Operation::kAllReduce,
         {"allreduce", "all_reduce", "c10d::allreduce_", "gloo:sparse_all_reduce",
          "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
          "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "allreduce_coalesced"});
  expect(Operation::kAllGather, {"_allgather_base", "all_gather", "c10d::_allgather_base_"});
  expect(Operation::kReduceScatter, {"_reduce_scatter_base", "ncclDevKernel_ReduceScatter_Sum_u64_RING_LL"});
  expect(Operation::kAllToAll, {"all_to_allv", "c10d::alltoall_base_"});
  expect(Operation::kBarrier, {"barrier", "nccl:all_reduce_barrier"});
  expect(Operation::kScatter, {"scatter", "c10d::scatter_"});
  expect(Operation::kReduce, {"reduce", "_reduce_oop"});
  expect(Operation::kSend, {"send", "nccl:send 0->1"});
  expect(Operation::kReceive, {"recv", "nccl:recv 1<-0", "c10d::recv_any_source_"});
  expect(Operation::kUnknown, {"ncclDevKernel_SendRecv(x)", "", "wait"});
}

TEST(RankList, IsEmptyWhereItDoesNotSayAll) {
  EXPECT_THAT(parse_rank_list("[0, 1, 12]"), ElementsAre(0, 1, 12));
  for (const char* text : {"", "[]", "[0, 1, ...]", "[0, -1]", "0, 1", "[99999999999]", "[0,1]"}) {
    EXPECT_THAT(parse_rank_list(text), IsEmpty()) << text;
  }
}

}  // namespace
}  // namespace lockstep::readers
