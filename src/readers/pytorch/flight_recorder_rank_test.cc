// What the fields of a dump mean, on dumps of every version and backend, written as JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "readers/testing/dumps.h"

namespace lockstep::readers {
namespace {

using model::EventKind;
using model::EventState;
using model::Operation;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::read_as;

struct Entry {
  std::string name = "nccl:all_reduce";
  std::string group = R"(["0","default_pg"])";
  int sequence = 1;
  std::string state = "completed";
  std::string more = "";  // further members, each with a comma before it
};

std::string entry_text(const Entry& entry) {
  return R"({"profiling_name":")" + entry.name + R"(","process_group":)" + entry.group +
         R"(,"collective_seq_id":)" + std::to_string(entry.sequence) + R"(,"state":")" + entry.state +
         R"(","input_sizes":[[16]],"output_sizes":[[16]],"input_dtypes":["Float"],"output_dtypes":["Float"])" +
         entry.more + "}";
}

std::string dump_of(const std::vector<Entry>& entries, const std::string& more = "") {
  std::string text = R"({"version":"2.10","entries":[)";
  for (const Entry& entry : entries) text += (&entry == entries.data() ? "" : ",") + entry_text(entry);
  return text + "]" + more + "}";
}

std::vector<EventState> states_of(const std::vector<Entry>& entries) {
  std::vector<EventState> states;
  const model::Job job = read_as("rank_0.json", dump_of(entries));
  for (const model::Event& event : job.ranks.front().events) states.push_back(event.state);
  return states;
}

const std::string kRetired = R"(,"retired":true)";
const std::string kNotRetired = R"(,"retired":false)";

TEST(FlightRecorderStates, NcclSetsThemAndRetiresWhatItGaveUp) {
  EXPECT_THAT(
      states_of({{.state = "completed", .more = kRetired},
                 {.sequence = 2, .state = "scheduled", .more = kRetired},
                 {.sequence = 3, .state = "started", .more = kNotRetired},
                 {.sequence = 4, .state = "scheduled", .more = kNotRetired}}),
      ElementsAre(EventState::kCompleted, EventState::kFailed, EventState::kStarted, EventState::kIssued));
}

TEST(FlightRecorderStates, OthersOnlyRetire) {
  for (const std::string backend : {"gloo", "ucc", "custom"}) {
    EXPECT_THAT(
        states_of(
            {{.name = backend + ":all_reduce", .state = "scheduled", .more = kRetired},
             {.name = backend + ":all_reduce", .sequence = 2, .state = "scheduled", .more = kNotRetired}}),
        ElementsAre(EventState::kCompleted, EventState::kIssued));
  }
}

TEST(FlightRecorderStates, WithoutAnySignOfCompletionNothingIsKnown) {
  EXPECT_THAT(states_of({{.name = "gloo:all_reduce", .state = "scheduled"}}),
              ElementsAre(EventState::kUntracked));
  EXPECT_THAT(states_of({{.name = "nccl:all_reduce", .state = "scheduled"}}),
              ElementsAre(EventState::kIssued));
}

TEST(FlightRecorderStates, ABackendThatSetsStatesGivesUpLikeNccl) {
  EXPECT_THAT(
      states_of({{.name = "ncclx:all_reduce", .state = "completed", .more = kRetired},
                 {.name = "ncclx:all_reduce", .sequence = 2, .state = "scheduled", .more = kRetired}}),
      ElementsAre(EventState::kCompleted, EventState::kFailed));
}

TEST(FlightRecorderRegions, InnerOperationsHaveTheStateOfTheClosingOne) {
  EXPECT_THAT(
      states_of({{.name = "nccl:all_gather", .sequence = 7, .state = "scheduled"},
                 {.name = "nccl:_all_gather_base", .sequence = 7, .state = "scheduled"},
                 {.name = "nccl:ALLGATHER_coalesced", .sequence = 7, .state = "completed", .more = kRetired},
                 {.name = "nccl:all_reduce", .sequence = 8, .state = "scheduled"}}),
      ElementsAre(EventState::kCompleted, EventState::kCompleted, EventState::kCompleted,
                  EventState::kIssued));
}

TEST(FlightRecorderRegions, OfAnotherGroupAreLeftAlone) {
  EXPECT_THAT(
      states_of({{.name = "nccl:all_gather", .group = R"(["1","tp"])", .sequence = 7, .state = "scheduled"},
                 {.name = "nccl:all_gather", .sequence = 7, .state = "scheduled"},
                 {.name = "nccl:coalesced", .sequence = 7, .state = "started"}}),
      ElementsAre(EventState::kIssued, EventState::kStarted, EventState::kStarted));
}

TEST(FlightRecorderRegions, OfSendsAndReceivesAddNoCollective) {
  const model::Job job = read_as(
      "rank_0.json",
      dump_of(
          {{.sequence = 5},
           {.name = "nccl:send 0->1",
            .sequence = 5,
            .state = "scheduled",
            .more = R"(,"is_p2p":true,"p2p_seq_id":3)"},
           {.name = "nccl:recv 0<-1",
            .sequence = 5,
            .state = "scheduled",
            .more = R"(,"is_p2p":true,"p2p_seq_id":3)"},
           {.name = "nccl:coalesced", .sequence = 5, .state = "completed", .more = R"(,"p2p_seq_id":3)"}}));
  const auto& events = job.ranks.front().events;
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[1].kind, EventKind::kPointToPoint);
  EXPECT_EQ(events[1].state, EventState::kCompleted);
  EXPECT_EQ(events[2].state, EventState::kCompleted);
}

TEST(FlightRecorderPointToPoint, TellsPeerAndDirectionAndNoNumber) {
  const model::Job job = read_as("rank_9.json", dump_of({{.name = "nccl:send 0->3", .sequence = 41},
                                                         {.name = "nccl:recv 0<-12", .sequence = 41}}));
  const auto& events = job.ranks.front().events;
  EXPECT_EQ(job.collectives[events[0].collective].operation, Operation::kSend);
  EXPECT_EQ(job.collectives[events[0].collective].peer, 3);
  EXPECT_EQ(job.collectives[events[1].collective].operation, Operation::kReceive);
  EXPECT_EQ(job.collectives[events[1].collective].peer, 12);
  for (const model::Event& event : events) {
    EXPECT_EQ(event.kind, EventKind::kPointToPoint);
    EXPECT_EQ(event.sequence, model::kNoSequence);
  }
  EXPECT_EQ(job.names[events[0].name], "send");
  EXPECT_EQ(job.ranks.front().rank.number, 9);
}

constexpr const char* kConfig =
    R"(,"pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[0, 1, 2, 3]"},"5":{"name":"5","desc":"tp","ranks":"[2, 3]"}})";

TEST(FlightRecorderGroups, ComeFromTheConfigurationEvenBehindTheEntries) {
  const model::Job job = read_as("rank_2.json", dump_of({{.group = R"(["5","tp"])"}}, kConfig));
  EXPECT_EQ(job.world_size, 4);
  const model::RankHistory& history = job.ranks.front();
  EXPECT_TRUE(history.lists_communicators);
  EXPECT_EQ(history.communicators.size(), 2U);
  const model::Communicator& group = job.communicators[history.events.front().communicator];
  EXPECT_EQ(group.members, (std::vector{2, 3}));
  EXPECT_EQ(group.size, 2);
  EXPECT_EQ(group.backend, "nccl");
}

TEST(FlightRecorderGroups, OfTheSameNameAreNotMixedUp) {
  const model::Job job = read_as("rank_2.json", dump_of({{.group = R"(["5","dp"])"}}, kConfig));
  const model::Event& event = job.ranks.front().events.front();
  EXPECT_THAT(job.communicators[event.communicator].members, IsEmpty());
}

TEST(FlightRecorderGroups, StatusIsTheProgressOfTheGroupWithItsNumber) {
  const std::string status =
      R"(,"pg_status":{"3":{"last_enqueued_collective":"12","last_started_collective":"-1","last_completed_collective":"11"},"4":{"last_enqueued_collective":"1"}})";
  const model::Job job = read_as("rank_2.json", dump_of({{.more = R"(,"pg_id":3)"}}, status));
  ASSERT_EQ(job.ranks.front().progress.size(), 1U);
  const model::Progress& progress = job.ranks.front().progress.front();
  EXPECT_EQ(progress.communicator, job.ranks.front().events.front().communicator);
  EXPECT_EQ(progress.issued, 12);
  EXPECT_EQ(progress.started, std::nullopt);
  EXPECT_EQ(progress.completed, 11);
}

TEST(FlightRecorderGroups, StatusIsNotBelievedWhereSendsCountToo) {
  const std::string status = R"(,"pg_status":{"3":{"last_enqueued_collective":12}})";
  const model::Job job = read_as(
      "rank_2.json",
      dump_of({{.more = R"(,"pg_id":3)"}, {.name = "nccl:send 0->1", .more = R"(,"pg_id":3)"}}, status));
  EXPECT_THAT(job.ranks.front().progress, IsEmpty());
}

TEST(FlightRecorderWriter, IsFoundInTheContentWhenTheNameTellsNone) {
  const auto writer = [](const std::string& text) {
    return read_as("dump.json", text).ranks.front().rank.number;
  };
  EXPECT_EQ(writer(dump_of({{.name = "nccl:send 2->3"}})), 2);
  EXPECT_EQ(writer(dump_of({{.name = "nccl:recv 1<-0", .group = R"(["5","tp"])"}}, kConfig)), 3);
  EXPECT_EQ(
      writer(dump_of(
          {{}}, R"(,"pg_config":{"1":{"desc":"a","ranks":"[1, 5]"},"2":{"desc":"b","ranks":"[5, 6]"}})")),
      5);
}

TEST(FlightRecorderWriter, MayStayUnknown) {
  const model::Job job = read_as("dump.json", dump_of({{}}));
  EXPECT_EQ(job.ranks.front().rank.number, model::kUnknownRank);
  EXPECT_THAT(job.limits, ElementsAre(HasSubstr("which rank wrote it")));
}

TEST(FlightRecorderWriter, StandsInTheNameWithHostAndAttempt) {
  const model::Job job = read_as("attempt_2/host-a_nccl_trace_rank_3", dump_of({{}}));
  EXPECT_EQ(job.ranks.front().rank.number, 3);
  EXPECT_EQ(job.ranks.front().rank.restart, 2);
  EXPECT_EQ(job.hosts.front().name, "host-a");
}

TEST(FlightRecorderTimes, EndWhenDiscoveredOrByTheDuration) {
  const model::Job job = read_as(
      "rank_0.json", dump_of({{.more = R"(,"time_created_ns":1000,"time_discovered_completed_ns":5000)"},
                              {.more = R"(,"time_created_ns":1000,"duration_ms":2.5)"},
                              {.more = R"(,"time_created_ns":1000,"time_discovered_completed_ns":0)"}}));
  const auto& events = job.ranks.front().events;
  EXPECT_EQ(events[0].end_ns, 5000);
  EXPECT_EQ(events[1].end_ns, 2'501'000);
  EXPECT_EQ(events[2].end_ns, model::kNoTime);
  EXPECT_EQ(events[2].begin_ns, 1000);
}

TEST(FlightRecorderRing, SaysWhatWasOverwrittenOrLeftOut) {
  const auto history = [](const char* first, const char* second) {
    return read_as("rank_0.json", dump_of({{.more = first}, {.sequence = 2, .more = second}})).ranks.front();
  };
  EXPECT_TRUE(history(R"(,"record_id":0)", R"(,"record_id":1)").begins_at_start);
  EXPECT_FALSE(history(R"(,"record_id":8)", R"(,"record_id":9)").begins_at_start);
  EXPECT_EQ(history(R"(,"record_id":8)", R"(,"record_id":9)").events_lost, 0U);
  EXPECT_EQ(history(R"(,"record_id":8)", R"(,"record_id":12)").events_lost, 3U);
}

TEST(FlightRecorderVersions, OldOnesHaveOtherFields) {
  const model::Job job =
      read_as("rank_1.json",
              R"([{"profiling_name":"nccl:all_reduce","seq_id":7,"state":"scheduled","process_group":"0"},
                         {"profiling_name":"nccl:recv 1<-0","seq_id":8,"state":"scheduled"}])");
  const auto& events = job.ranks.front().events;
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].sequence, 7U);
  EXPECT_EQ(job.communicators[events[0].communicator].name, "0");
  EXPECT_EQ(events[1].kind, EventKind::kPointToPoint);
}

TEST(FlightRecorderVersions, UnknownOperationsAreJustNames) {
  const model::Job job = read_as("rank_1.json", dump_of({{.name = "nccl:new_window"}}));
  const model::Event& event = job.ranks.front().events.front();
  EXPECT_EQ(job.collectives[event.collective].operation, Operation::kUnknown);
  EXPECT_EQ(job.names[event.name], "new_window");
}

TEST(FlightRecorderVersions, RaySaysWhyThereIsNone) {
  const model::Job job = read_as("rank_4.json", R"({"ok": false, "reason": "actor died"})");
  EXPECT_THAT(job.limits, ElementsAre("rank_4.json: no dump: actor died"));
  EXPECT_EQ(job.ranks.front().rank.number, 4);
}

TEST(FlightRecorderVersions, EntriesThatAreNoneAreCounted) {
  const model::Job job =
      read_as("rank_0.json", R"({"pg_config":{},"entries":[{"a":1},)" + entry_text({}) + "]}");
  EXPECT_EQ(job.ranks.front().events.size(), 1U);
  EXPECT_EQ(job.ranks.front().events.front().position, 2U);
  EXPECT_THAT(job.limits, Contains(HasSubstr("1 of 2 entries")));
}

TEST(DebugServer, GivesEveryRankItsDump) {
  const std::string text = "PARTIAL DATA: 2/3 workers responded\n\n=== Rank 0: http://a:1 ===\n" +
                           dump_of({{}}) +
                           "\n=== Rank 1: http://b:1 ===\nError: 503\n=== Rank 2: http://c:1 ===\n" +
                           dump_of({{}, {.sequence = 2}});
  const model::Job job = read_as("fr_trace.txt", text);
  ASSERT_EQ(job.ranks.size(), 3U);
  EXPECT_EQ(job.sources.size(), 1U);
  EXPECT_EQ(job.ranks[0].events.size(), 1U);
  EXPECT_EQ(job.ranks[1].rank.number, 1);
  EXPECT_THAT(job.ranks[1].events, IsEmpty());
  EXPECT_EQ(job.ranks[2].events.size(), 2U);
  EXPECT_EQ(job.ranks[2].rank.number, 2);
  EXPECT_THAT(job.limits, Contains(HasSubstr("2/3 workers responded")));
  EXPECT_THAT(job.limits, Contains(HasSubstr("rank 1 gave no dump: Error: 503")));
}

TEST(UnreadableDump, StillNamesItsRank) {
  const auto limit = [](const std::string& name, std::string_view bytes) {
    const model::Job job = read_as(name, bytes);
    EXPECT_EQ(job.ranks.front().rank.number, 2);
    EXPECT_EQ(job.ranks.front().sources.size(), 1U);
    return job.limits.front();
  };
  EXPECT_EQ(limit("dumps/rank_2", ""), "dumps/rank_2: empty");
  EXPECT_THAT(limit("nccl_trace_rank_2", "\x80\x02K\x01."), HasSubstr("not a flight recorder dump"));
  EXPECT_THAT(limit("rank_2.json", "garbage"), HasSubstr("no known format"));
}

TEST(UnreadableDump, LogsOfRanksAreNone) {
  for (const char* name : {"rank_2.log", "notes.txt", "config_3.json", "rank_2/stdout.log"}) {
    const Source source{.name = name, .path = name, .bytes = "garbage"};
    EXPECT_EQ(sniff(source), nullptr) << name;
  }
}

}  // namespace
}  // namespace lockstep::readers
