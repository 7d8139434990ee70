#include "model/merge.h"

#include <algorithm>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::model {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

Communicator world_of(int size, const std::string& name = "0") {
  Communicator world{
      .name = name, .description = "default_pg", .backend = "nccl", .members = {}, .size = size};
  for (int rank = 0; rank < size; ++rank) world.members.push_back(rank);
  return world;
}

// One dump: a rank that issued `last` all_reduces in the given communicator.
Job dump_of(int rank, std::uint64_t last, const Communicator& communicator, const std::string& file = "") {
  Job job;
  job.framework = "pytorch";
  job.sources = {file.empty() ? "rank_" + std::to_string(rank) : file};
  const CommunicatorId id = job.communicators.intern(communicator);
  const CollectiveId call = job.collectives.intern({.operation = Operation::kAllReduce,
                                                    .reduce_op = ReduceOp::kNone,
                                                    .input_types = {DataType::kFloat32},
                                                    .output_types = {},
                                                    .input_shapes = {{16}},
                                                    .output_shapes = {},
                                                    .peer = std::nullopt});
  RankHistory& history = job.ranks.emplace_back();
  history.rank.number = rank;
  history.sources = {SourceId{0}};
  history.lists_communicators = true;
  history.communicators = {id};
  for (std::uint64_t number = 1; number <= last; ++number) {
    Event event;
    event.state = EventState::kCompleted;
    event.communicator = id;
    event.sequence = number;
    event.collective = call;
    event.begin_ns = static_cast<std::int64_t>(number) * 1000;
    event.source = SourceId{0};
    history.events.push_back(event);
  }
  return job;
}

TEST(Merge, SurvivesACallWithoutCommunicator) {
  Job damaged = dump_of(0, 3, world_of(2));
  damaged.ranks.front().events.front().communicator = CommunicatorId::kNone;
  const Job job = merge({std::move(damaged), dump_of(1, 3, world_of(2))});
  ASSERT_EQ(job.ranks.size(), 2U);
  EXPECT_EQ(job.ranks.front().events.front().communicator, CommunicatorId::kNone);
  EXPECT_EQ(job.ranks.front().events.back().sequence, 3U);
}

TEST(Merge, BelievesNoRankAndNoNumberOfRanksThatNoJobHas) {
  Job damaged = dump_of(std::numeric_limits<int>::max(), 3, world_of(2), "damaged");
  damaged.world_size = std::numeric_limits<int>::max();
  Job negative = dump_of(-872555016, 3, world_of(2), "negative");
  negative.world_size = -2;
  const Job job = merge({std::move(damaged), std::move(negative), dump_of(kMaxRanks - 1, 3, world_of(2))});
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks.front().rank.number, kMaxRanks - 1);
  EXPECT_EQ(job.world_size, std::nullopt);
  EXPECT_THAT(job.limits, Contains(HasSubstr("damaged: damaged, it says that it is from rank 2147483647")));
  EXPECT_THAT(job.limits, Contains(HasSubstr("negative: damaged, it says that the job has -2 ranks")));
}

TEST(Merge, GivesEqualThingsOneIdWhateverTheOrderOfTheFiles) {
  std::vector<Job> parts;
  for (const int rank : {2, 0, 1}) parts.push_back(dump_of(rank, 3, world_of(3)));
  const Job job = merge(std::move(parts));
  ASSERT_EQ(job.ranks.size(), 3U);
  EXPECT_EQ(job.communicators.size(), 1U);
  EXPECT_EQ(job.collectives.size(), 1U);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(job.ranks[static_cast<std::size_t>(rank)].rank.number, rank);
    EXPECT_EQ(job.sources.at(static_cast<std::size_t>(job.find_rank(rank)->events.front().source)),
              "rank_" + std::to_string(rank));
  }
}

TEST(Merge, AGroupKnownByNameOnlyIsTheOneThatHasTheRankInIt) {
  Communicator left{.name = "tp", .description = "", .backend = "nccl", .members = {0, 1}, .size = 2};
  Communicator right = left;
  right.members = {2, 3};
  Communicator unknown = left;
  unknown.members = {};
  unknown.size = std::nullopt;
  const Job job = merge({dump_of(0, 1, left), dump_of(2, 1, right), dump_of(3, 1, unknown)});
  EXPECT_EQ(job.communicators.size(), 2U);
  EXPECT_EQ(job.find_rank(3)->events.front().communicator, job.find_rank(2)->events.front().communicator);
}

TEST(Merge, GroupsOfTheSameRanksUnderDifferentNamesAreOneWhenNoRankHasBoth) {
  const Job job = merge({dump_of(0, 1, world_of(2, "7")), dump_of(1, 1, world_of(2, "9"))});
  EXPECT_EQ(job.communicators.size(), 1U);

  Job both = dump_of(1, 1, world_of(2, "9"));
  both.ranks.front().communicators.push_back(both.communicators.intern(world_of(2, "7")));
  EXPECT_EQ(merge({dump_of(0, 1, world_of(2, "7")), std::move(both)}).communicators.size(), 2U);
}

TEST(Merge, TheTwoBackendsOfOneGroupCountApart) {
  Communicator over_gloo = world_of(2);
  over_gloo.backend = "gloo";
  const Job job = merge({dump_of(0, 5, world_of(2), "nccl_0"), dump_of(0, 2, over_gloo, "gloo_0")});
  EXPECT_EQ(job.communicators.size(), 2U);
  EXPECT_EQ(job.find_rank(0)->events.size(), 7U);

  Communicator unused = world_of(2);
  unused.backend = "";
  EXPECT_EQ(merge({dump_of(0, 5, world_of(2)), dump_of(1, 0, unused)}).communicators.size(), 1U);
}

TEST(Merge, JoinsTwoDumpsOfOneRankIntoTheEventsOfBoth) {
  Job early = dump_of(0, 3, world_of(1), "early");
  early.ranks.front().events.back().state = EventState::kIssued;
  const Job job = merge({std::move(early), dump_of(0, 5, world_of(1), "late")});
  ASSERT_EQ(job.ranks.size(), 1U);
  ASSERT_EQ(job.ranks.front().events.size(), 5U);
  EXPECT_EQ(job.ranks.front().events[2].state, EventState::kCompleted);
  EXPECT_EQ(job.ranks.front().sources.size(), 2U);
}

TEST(Merge, FindsTheRankOfAStackDumpByItsProcess) {
  Job dump = dump_of(4, 1, world_of(1));
  dump.hosts = {{.name = "a", .clock_ahead_ns = {}}};
  dump.ranks.front().rank.host = 0;
  dump.ranks.front().rank.pid = 77;
  Job stacks;
  stacks.sources = {"stacks.txt"};
  stacks.ranks.resize(1);
  stacks.ranks.front().rank.pid = 77;
  stacks.ranks.front().snapshots.push_back({.thread_name = "MainThread", .is_main = true});
  const Job job = merge({std::move(stacks), std::move(dump)});
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks.front().rank.number, 4);
  EXPECT_EQ(job.ranks.front().snapshots.size(), 1U);
  EXPECT_TRUE(job.limits.empty());
}

TEST(Merge, AFileThatNamesNoRankIsALimit) {
  Job stacks;
  stacks.sources = {"stacks.txt"};
  stacks.ranks.resize(1);
  const Job job = merge({std::move(stacks)});
  EXPECT_TRUE(job.ranks.empty());
  ASSERT_EQ(job.limits.size(), 1U);
  EXPECT_NE(job.limits.front().find("stacks.txt"), std::string::npos);
}

TEST(Merge, JudgesTheLastAttemptOnly) {
  Job first = dump_of(0, 9, world_of(3), "attempt_0/rank_0");
  first.world_size = 3;
  Job second = dump_of(0, 2, world_of(2), "attempt_1/rank_0");
  second.ranks.front().rank.restart = 1;
  second.world_size = 2;
  const Job job = merge({std::move(first), std::move(second)});
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks.front().events.size(), 2U);
  EXPECT_EQ(job.world_size, 2) << "an elastic job goes on with fewer ranks";
  EXPECT_EQ(job.communicators.size(), 1U);
  EXPECT_EQ(job.limits.size(), 1U);
}

TEST(Merge, LearnsTheMembersOfAGroupFromItsSizeWhereEveryoneWasSeen) {
  const Communicator nameless{
      .name = "0xabc", .description = "", .backend = "nccl", .members = {}, .size = 2};
  const Job job = merge({dump_of(3, 1, nameless), dump_of(5, 1, nameless)});
  EXPECT_EQ(job.communicators.values().at(0).members, (std::vector<int>{3, 5}));
}

using Places = std::vector<std::size_t>;

Job world(int size, int rank, std::int64_t begin_ns, std::int64_t end_ns, int restart = 0) {
  Job part;
  part.world_size = size;
  RankHistory& history = part.ranks.emplace_back();
  history.rank.number = rank;
  history.rank.restart = restart;
  history.rank.begun_ns = begin_ns;
  history.rank.ended_ns = end_ns;
  return part;
}

Job killed(Job part, std::int64_t last_event_ns) {
  part.ranks.front().rank.ended_ns.reset();
  Event step;
  step.kind = EventKind::kActivity;
  step.begin_ns = last_event_ns;
  part.ranks.front().events = {step};
  return part;
}

TEST(WorldSizeOne, AreProcessesAloneAtTheSameTime) {
  EXPECT_EQ(world_size_one(std::vector{world(1, 0, 10, 90), world(1, 0, 20, 95, 1)}), (Places{0, 1}));
}

TEST(WorldSizeOne, AJobOfOneRankThatWasRestartedIsNone) {
  EXPECT_EQ(world_size_one(std::vector{world(1, 0, 10, 20), world(1, 0, 30, 90, 1)}), Places{});
}

TEST(WorldSizeOne, AProcessThatWasKilledLivedUntilItsLastEvent) {
  EXPECT_EQ(world_size_one(std::vector{killed(world(1, 0, 10, 0), 25), world(1, 0, 30, 90, 1)}), Places{});
  EXPECT_EQ(world_size_one(std::vector{killed(world(1, 0, 10, 0), 35), world(1, 0, 30, 90, 1)}),
            (Places{0, 1}));
}

TEST(WorldSizeOne, RanksThatKnowOfEachOtherAreNone) {
  EXPECT_EQ(world_size_one(std::vector{world(2, 0, 10, 90), world(2, 1, 10, 90)}), Places{});
}

TEST(WorldSizeOne, ALongLifeOverlapsWithSeveralShortOnes) {
  EXPECT_EQ(world_size_one(std::vector{world(1, 0, 0, 100), world(1, 0, 10, 20, 1), world(1, 0, 30, 40, 2)}),
            (Places{0, 1, 2}));
}

TEST(WorldSizeOne, AreNotTakenForRestarts) {
  const Job job = merge({world(1, 0, 10, 90), world(1, 0, 20, 95, 1)});
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks.front().rank.restart, 0);
  ASSERT_EQ(job.limits.size(), 1U);
  EXPECT_NE(job.limits.front().find("2 processes"), std::string::npos) << job.limits.front();
}

}  // namespace

}  // namespace lockstep::model
