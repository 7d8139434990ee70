#include "readers/nccl/inspector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "readers/testing/dumps.h"

namespace lockstep::readers {
namespace {

using model::Event;
using model::Operation;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::seed;
using testing::source_of;

TEST(NcclInspector, ReadsCompletedOperations) {
  const std::string text = seed("nccl_inspector/v4_0");
  ASSERT_TRUE(recognises_nccl_inspector(source_of(text)));
  const model::Job job = read_nccl_inspector(source_of(text));
  ASSERT_EQ(job.ranks.size(), 1U);
  const model::RankHistory& history = job.ranks[0];
  EXPECT_EQ(history.rank.number, 2);
  EXPECT_EQ(history.rank.pid, 1639);
  EXPECT_EQ(job.hosts.at(0).name, "node-a");
  EXPECT_EQ(job.communicators.values().at(0).name, "0x7f8c496ae9f661");
  EXPECT_EQ(job.communicators.values().at(0).size, 8);
  EXPECT_THAT(job.communicators.values().at(0).members, IsEmpty());
  ASSERT_EQ(history.events.size(), 4U);
  const Event& second = history.events[1];
  EXPECT_EQ(second.state, model::EventState::kCompleted);
  EXPECT_TRUE(second.only_duration);
  EXPECT_EQ(second.end_ns - second.begin_ns, 700'000);
  EXPECT_EQ(second.sequence, inspector_sequence(Operation::kAllReduce, 2));
  EXPECT_EQ(second.position, 2U);
}

TEST(NcclInspector, KeepsKindsOfOperationsApartThatHaveTheSameNumber) {
  const model::Job job = read_nccl_inspector(source_of(seed("nccl_inspector/v4_0")));
  EXPECT_NE(job.ranks[0].events[0].sequence, job.ranks[0].events[2].sequence);
}

TEST(NcclInspector, CountsGapsAsLostAndSaysSo) {
  const model::Job job = read_nccl_inspector(source_of(seed("nccl_inspector/v4_0")));
  EXPECT_EQ(job.ranks[0].events_lost, 2U);
  EXPECT_TRUE(job.ranks[0].begins_at_start);
  EXPECT_THAT(job.limits, ElementsAre("input: 2 operations were not recorded (gaps in coll_sn)"));
  ASSERT_EQ(job.ranks[0].progress.size(), 2U);
  EXPECT_EQ(job.ranks[0].progress[0].completed, 5);
}

TEST(NcclInspector, KnowsWhenAVerboseOperationWas) {
  const model::Job job = read_nccl_inspector(source_of(seed("nccl_inspector/v4_2_verbose")));
  ASSERT_EQ(job.ranks.size(), 1U);
  const Event& event = job.ranks[0].events.at(0);
  EXPECT_FALSE(event.only_duration);
  EXPECT_EQ(event.begin_ns, 1752867229235059000);
  EXPECT_EQ(event.end_ns, 1752867229276811000) << "when the last channel ended";
  EXPECT_FALSE(job.ranks[0].begins_at_start);
  const Event& send = job.ranks[0].events.at(1);
  EXPECT_EQ(send.kind, model::EventKind::kPointToPoint);
  EXPECT_EQ(send.sequence, model::kNoSequence);
  EXPECT_EQ(job.collectives[send.collective].peer, 5);
}

TEST(NcclInspector, ReadsTheOperationsBehindAMarker) {
  const model::Job job = read_nccl_inspector(source_of(seed("nccl_inspector/v4_3_marker")));
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks[0].events.size(), 2U);
  EXPECT_EQ(job.ranks[0].rank.number, 1);
  EXPECT_EQ(job.communicators.values().at(0).name, "0xab");
}

TEST(NcclInspector, NumbersTheRankByTheLargestCommunicator) {
  const std::string small =
      R"({"header":{"id":"0x2","rank":0,"n_ranks":2},"metadata":{"hostname":"h","pid":4},)"
      R"("coll_perf":{"coll":"AllReduce","coll_sn":1,"coll_exec_time_us":9}})";
  const std::string large =
      R"({"header":{"id":"0x3","rank":5,"n_ranks":8},"metadata":{"hostname":"h","pid":4},)"
      R"("coll_perf":{"coll":"AllReduce","coll_sn":1,"coll_exec_time_us":9.5}})";
  const model::Job job = read_nccl_inspector(source_of(small + "\n" + large + "\n" + small + "\n"));
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks[0].rank.number, 5);
  EXPECT_EQ(job.ranks[0].events[1].end_ns, 9500);
}

TEST(NcclInspector, SaysWhereItWasCut) {
  const std::string whole = seed("nccl_inspector/v4_0");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const model::Job job = read_nccl_inspector(source_of(std::string_view(whole).substr(0, length)));
    const auto lines = std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length), '\n');
    const bool is_whole_line = length == 0 || whole[length - 1] == '\n' || whole[length] == '\n';
    std::size_t events = job.ranks.empty() ? 0 : job.ranks[0].events.size();
    EXPECT_EQ(events, static_cast<std::size_t>(lines) + (length > 0 && whole[length] == '\n' ? 1 : 0));
    const bool says_so = std::ranges::any_of(
        job.limits, [](const std::string& limit) { return limit.find("cut in line") != std::string::npos; });
    EXPECT_EQ(says_so, !is_whole_line) << length;
  }
}

TEST(NcclInspector, PassesOverLinesItCannotRead) {
  std::string text = seed("nccl_inspector/v4_0");
  text += "not json\n{\"coll_perf\": {\"coll\": \"\xff\"}}\n{\"header\": {}, \"coll_perf\": {}}\n";
  text += "{\"coll_perf\": \"" + std::string(3 << 20, 'x') + "\"}\n";
  const model::Job job = read_nccl_inspector(source_of(text));
  EXPECT_EQ(job.ranks[0].events.size(), 4U);
  EXPECT_THAT(job.limits, ::testing::Contains("input: 4 lines could not be read"));
  EXPECT_THAT(read_nccl_inspector(source_of("")).ranks, IsEmpty());
  EXPECT_FALSE(recognises_nccl_inspector(source_of("")));
}

}  // namespace
}  // namespace lockstep::readers
