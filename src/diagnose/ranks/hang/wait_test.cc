#include "diagnose/ranks/hang/wait.h"

#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "diagnose/ranks/signature.h"
#include "diagnose/ranks/testing/job_sketch.h"
#include "diagnose/ranks/testing/random_job.h"

namespace lockstep::ranks {
namespace {

using model::CommunicatorId;
using model::EventState;
using model::Job;
using testing::JobSketch;

std::vector<Wait> waits_of(const Job& job) {
  return find_collective_waits(job, align(job), PresenceTable(job));
}

std::vector<int> waiting_ranks(const Job& job, const Wait& wait) {
  std::vector<int> ranks;
  for (const EventPlace place : wait.waiting) ranks.push_back(job.ranks[place.rank].rank.number);
  return ranks;
}

// Numbers 1 .. last, all completed but the last, which is as `state` says.
void history_up_to(JobSketch& sketch, int rank, std::uint64_t last, EventState state) {
  for (std::uint64_t number = 1; number <= last; ++number) {
    sketch.call(rank, {.communicator = sketch.world(),
                       .sequence = number,
                       .state = number == last ? state : EventState::kCompleted});
  }
}

TEST(Wait, NobodyWaitsWhereEverythingIsFinished) {
  JobSketch sketch(3);
  for (int rank = 0; rank < 3; ++rank) history_up_to(sketch, rank, 5, EventState::kCompleted);
  EXPECT_TRUE(waits_of(sketch.job).empty());
}

TEST(Wait, ARankThatDidNotComeIsAbsent) {
  JobSketch sketch(3);
  history_up_to(sketch, 0, 5, EventState::kIssued);
  history_up_to(sketch, 1, 5, EventState::kStarted);
  history_up_to(sketch, 2, 4, EventState::kCompleted);
  const std::vector<Wait> waits = waits_of(sketch.job);
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].sequence, 5U);
  EXPECT_EQ(waiting_ranks(sketch.job, waits[0]), (std::vector<int>{0, 1}));
  EXPECT_EQ(waits[0].absent, std::vector<int>{2});
}

TEST(Wait, ARankWithoutADumpIsSilentNotAbsent) {
  JobSketch sketch(3);
  for (int rank = 0; rank < 3; ++rank) history_up_to(sketch, rank, 5, EventState::kIssued);
  sketch.forget(1);
  const std::vector<Wait> waits = waits_of(sketch.job);
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_TRUE(waits[0].absent.empty());
  EXPECT_EQ(waits[0].silent, std::vector<int>{1});
}

TEST(Wait, ARankWhoseRecordIsWholeAndEmptyIsAbsentNotSilent) {
  JobSketch sketch(2);
  history_up_to(sketch, 0, 1, EventState::kIssued);
  EXPECT_EQ(waits_of(sketch.job)[0].silent, std::vector<int>{1});
  sketch.history(1).rank.begun_ns = 1;
  EXPECT_EQ(waits_of(sketch.job)[0].absent, std::vector<int>{1});
  sketch.history(1).events_lost = 1;
  EXPECT_EQ(waits_of(sketch.job)[0].silent, std::vector<int>{1}) << "what it issued may be among the lost";
}

TEST(Wait, ARankThatJoinedIsNotMissed) {
  JobSketch sketch(3);
  const CommunicatorId joins = sketch.group("join", {0, 1, 2});
  history_up_to(sketch, 0, 5, EventState::kIssued);
  history_up_to(sketch, 1, 4, EventState::kCompleted);
  history_up_to(sketch, 2, 3, EventState::kCompleted);
  sketch.call(2, {.communicator = joins,
                  .sequence = 1,
                  .operation = model::Operation::kJoin,
                  .state = EventState::kStarted});
  const std::vector<Wait> waits = waits_of(sketch.job);
  ASSERT_EQ(waits.size(), 2U);
  EXPECT_EQ(waits[0].absent, std::vector<int>{1});
  EXPECT_EQ(waits[1].absent, (std::vector<int>{0, 1}));
}

TEST(Wait, AJoinIsAmongTheLastEventsOfWhoWaitsInIt) {
  const auto missed_with_events_behind = [](std::size_t behind) {
    JobSketch sketch(2);
    const CommunicatorId joins = sketch.group("join", {0, 1});
    history_up_to(sketch, 0, 5, EventState::kIssued);
    history_up_to(sketch, 1, 4, EventState::kCompleted);
    sketch.call(1, {.communicator = joins,
                    .sequence = 1,
                    .operation = model::Operation::kJoin,
                    .state = EventState::kStarted});
    sketch.history(1).events.resize(sketch.history(1).events.size() + behind);
    return std::ranges::any_of(waits_of(sketch.job),
                               [](const Wait& wait) { return wait.absent == std::vector<int>{1}; });
  };
  EXPECT_FALSE(missed_with_events_behind(255));
  EXPECT_TRUE(missed_with_events_behind(256));
}

TEST(Wait, ARankWhoseJoinIsOverIsMissedAgain) {
  JobSketch sketch(2);
  const CommunicatorId joins = sketch.group("join", {0, 1});
  history_up_to(sketch, 0, 5, EventState::kIssued);
  history_up_to(sketch, 1, 4, EventState::kCompleted);
  sketch.call(1, {.communicator = joins, .sequence = 1, .operation = model::Operation::kJoin});
  const std::vector<Wait> waits = waits_of(sketch.job);
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].absent, std::vector<int>{1});
}

TEST(Wait, AWatchdogThatNoticedLateIsNotAHang) {
  JobSketch sketch(2);
  history_up_to(sketch, 0, 6, EventState::kCompleted);
  history_up_to(sketch, 1, 6, EventState::kCompleted);
  sketch.history(1).events[3].state = EventState::kStarted;
  EXPECT_TRUE(waits_of(sketch.job).empty());
}

TEST(Wait, TheLastOneUnfinishedOnOneRankIsStuckThere) {
  JobSketch sketch(2);
  history_up_to(sketch, 0, 6, EventState::kCompleted);
  history_up_to(sketch, 1, 6, EventState::kStarted);
  const std::vector<Wait> waits = waits_of(sketch.job);
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waiting_ranks(sketch.job, waits[0]), std::vector<int>{1});
  EXPECT_EQ(waits[0].finished, std::vector<int>{0});
  EXPECT_FALSE(waits[0].misses_someone());
}

TEST(Wait, AnOverwrittenEventIsNotAnAbsence) {
  JobSketch sketch(2);
  const CommunicatorId pair = sketch.group("pair", {0, 1});
  sketch.call(0, {.communicator = pair, .sequence = 3, .state = EventState::kIssued, .begin_ns = 10});
  sketch.call(1, {.communicator = sketch.world(), .sequence = 900, .begin_ns = 5'000});
  sketch.history(1).begins_at_start = false;
  const std::vector<Wait> waits = waits_of(sketch.job);
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].unknown, std::vector<int>{1});

  sketch.history(1).progress.push_back({.communicator = pair, .issued = 2});
  EXPECT_EQ(waits_of(sketch.job).at(0).absent, std::vector<int>{1});
}

// The definition, looked up event by event.
struct SlowWait {
  std::uint64_t sequence = 0;
  std::set<int> waiting;
  std::set<int> absent;
  std::set<int> silent;

  bool operator==(const SlowWait&) const = default;
};

std::optional<SlowWait> slow_wait(const Job& job, CommunicatorId communicator) {
  std::map<std::uint64_t, std::multimap<int, const model::Event*>> numbers;
  for (const model::RankHistory& history : job.ranks) {
    for (const model::Event& event : history.events) {
      if (event.communicator == communicator) numbers[event.sequence].emplace(history.rank.number, &event);
    }
  }
  const auto finished_later = [&](std::uint64_t number, int rank) {
    for (const auto& [later, events] : numbers) {
      if (later <= number) continue;
      for (const auto& [who, event] : events) {
        const bool needs_all = is_synchronising(job.collectives[event->collective].operation);
        if (event->state == EventState::kCompleted && (who == rank || needs_all)) return true;
      }
    }
    return false;
  };
  for (const auto& [number, events] : numbers) {
    SlowWait wait{.sequence = number, .waiting = {}, .absent = {}, .silent = {}};
    bool someone_finished = false;
    for (const auto& [rank, event] : events) {
      if (model::is_unfinished(*event) && !finished_later(number, rank)) wait.waiting.insert(rank);
      someone_finished = someone_finished || (event->state == EventState::kCompleted &&
                                              is_synchronising(job.collectives[event->collective].operation));
    }
    if (wait.waiting.empty()) continue;
    if (someone_finished) return wait;
    for (const int member : job.communicators[communicator].members) {
      if (events.contains(member)) continue;
      const model::RankHistory* history = job.find_rank(member);
      if (history == nullptr || (history->events.empty() && history->progress.empty())) {
        wait.silent.insert(member);
        continue;
      }
      bool came = false;
      bool has_any = false;
      for (const auto& [other, theirs] : numbers) {
        has_any = has_any || theirs.contains(member);
        came = came || (other > number && theirs.contains(member));
      }
      for (const model::Progress& progress : history->progress) {
        if (progress.communicator != communicator) continue;
        has_any = true;
        came = came || *progress.issued >= static_cast<std::int64_t>(number);
      }
      std::int64_t first_arrival = std::numeric_limits<std::int64_t>::max();
      for (const auto& [rank, event] : events) first_arrival = std::min(first_arrival, event->begin_ns);
      const bool reaches_back =
          history->begins_at_start ||
          (!history->events.empty() && history->events.front().begin_ns < first_arrival);
      if (!came && (has_any || reaches_back)) wait.absent.insert(member);
    }
    return wait;
  }
  return std::nullopt;
}

RC_GTEST_PROP(Wait, AgreesWithTheDefinition, ()) {
  const JobSketch sketch = testing::random_job();
  std::map<CommunicatorId, SlowWait> fast;
  for (const Wait& wait : waits_of(sketch.job)) {
    const std::vector<int> waiting = waiting_ranks(sketch.job, wait);
    fast[wait.communicator] = {.sequence = wait.sequence,
                               .waiting = {waiting.begin(), waiting.end()},
                               .absent = {wait.absent.begin(), wait.absent.end()},
                               .silent = {wait.silent.begin(), wait.silent.end()}};
  }
  std::map<CommunicatorId, SlowWait> slow;
  for (std::size_t at = 0; at < sketch.job.communicators.size(); ++at) {
    const auto communicator = static_cast<CommunicatorId>(at);
    if (auto wait = slow_wait(sketch.job, communicator)) slow[communicator] = *std::move(wait);
  }
  RC_ASSERT(fast == slow);
}

}  // namespace
}  // namespace lockstep::ranks
