#include "diagnose/ranks/correctness/divergence.h"

#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "diagnose/ranks/testing/job_sketch.h"
#include "diagnose/ranks/testing/relabel.h"

namespace lockstep::ranks {
namespace {

using model::Operation;
using testing::JobSketch;

void call_with_result(JobSketch& sketch, int rank, model::CommunicatorId group, std::uint64_t number,
                      std::uint64_t output, Operation operation = Operation::kAllReduce) {
  model::Event& event =
      sketch.call(rank, {.communicator = group, .sequence = number, .operation = operation});
  event.checksums = static_cast<model::ChecksumsId>(sketch.job.checksums.size());
  sketch.job.checksums.push_back({.input = static_cast<std::uint64_t>(rank) + 77, .output = output});
}

void begin_step(JobSketch& sketch, int rank, std::uint64_t number) {
  model::Event step;
  step.kind = model::EventKind::kActivity;
  step.activity = model::Activity::kStep;
  step.sequence = number;
  sketch.history(rank).events.push_back(step);
}

TEST(Divergence, FindsTheOddRankAndTheStep) {
  JobSketch sketch(4);
  for (int rank = 0; rank < 4; ++rank) {
    for (std::uint64_t number = 1; number <= 5; ++number) {
      begin_step(sketch, rank, number + 100);
      call_with_result(sketch, rank, sketch.world(), number, rank == 2 && number >= 4 ? 666 : 1000 + number);
    }
  }
  const Alignment alignment = align(sketch.job);
  const auto found = find_divergence(sketch.job, alignment);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->meeting.sequence, 4U);
  EXPECT_EQ(found->odd_ranks, std::vector{2});
  EXPECT_EQ(found->agreeing_ranks, (std::vector{0, 1, 3}));
  EXPECT_EQ(found->step, 104U);
  EXPECT_EQ(found->meetings, 2U);
  EXPECT_FALSE(found->is_tie);

  const model::Finding finding = finding_of(sketch.job, *found);
  EXPECT_EQ(finding.title,
            "all_reduce 4 of group world in step 104 left rank 2 with another result than the other 3 ranks");
  EXPECT_EQ(finding.leaf, model::Leaf::kPerfResult);
  ASSERT_EQ(finding.evidence.size(), 2U);
  EXPECT_EQ(finding.evidence[0].rank, 2);
  EXPECT_NE(finding.evidence[0].text.find("000000000000029a"), std::string::npos);
}

TEST(Divergence, SaysSoWhenThereIsNoMajority) {
  JobSketch sketch(2);
  call_with_result(sketch, 0, sketch.world(), 1, 5);
  call_with_result(sketch, 1, sketch.world(), 1, 6);
  const Alignment alignment = align(sketch.job);
  const auto found = find_divergence(sketch.job, alignment);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_tie);
  EXPECT_TRUE(found->odd_ranks.empty());
  EXPECT_EQ(found->agreeing_ranks, (std::vector{0, 1}));
  EXPECT_NE(finding_of(sketch.job, *found).title.find("no majority"), std::string::npos);
}

// Rank 1 brings a wrong value from the group "late" into the world: the group's divergence came first, though
// its communicator was made later.
TEST(Divergence, OrdersAcrossGroupsByTheRanksOwnOrder) {
  JobSketch sketch(4);
  const model::CommunicatorId late = sketch.group("late", {1, 2, 3});
  for (int rank = 0; rank < 4; ++rank) {
    call_with_result(sketch, rank, sketch.world(), 1, 10);
    if (rank > 0) call_with_result(sketch, rank, late, 1, rank == 1 ? 666 : 20);
    call_with_result(sketch, rank, sketch.world(), 2, rank == 1 ? 667 : 11);
  }
  const Alignment alignment = align(sketch.job);
  const auto found = find_divergence(sketch.job, alignment);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->meeting.communicator, late);
}

TEST(Divergence, IsSilentAboutOperationsWhoseResultsDifferByRight) {
  for (const Operation operation :
       {Operation::kReduceScatter, Operation::kAllToAll, Operation::kReduce, Operation::kScatter}) {
    JobSketch sketch(3);
    for (int rank = 0; rank < 3; ++rank) {
      call_with_result(sketch, rank, sketch.world(), 1, static_cast<std::uint64_t>(rank) + 1, operation);
    }
    EXPECT_FALSE(find_divergence(sketch.job, align(sketch.job)));
  }
}

TEST(Divergence, ComparesCoalescedCallsOneByOne) {
  JobSketch sketch(3);
  for (int rank = 0; rank < 3; ++rank) {
    call_with_result(sketch, rank, sketch.world(), 1, 5);
    call_with_result(sketch, rank, sketch.world(), 1, 6);
  }
  EXPECT_FALSE(find_divergence(sketch.job, align(sketch.job)));
  call_with_result(sketch, 0, sketch.world(), 2, 5);
  call_with_result(sketch, 0, sketch.world(), 2, 6);
  for (int rank = 1; rank < 3; ++rank) {
    call_with_result(sketch, rank, sketch.world(), 2, 6);
    call_with_result(sketch, rank, sketch.world(), 2, 5);
  }
  const Alignment alignment = align(sketch.job);
  const auto found = find_divergence(sketch.job, alignment);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->odd_ranks, std::vector{0});
}

TEST(Divergence, TakesNoChecksumForNothing) {
  JobSketch sketch(3);
  call_with_result(sketch, 0, sketch.world(), 1, 5);
  call_with_result(sketch, 1, sketch.world(), 1, 0);
  sketch.call(2, {.communicator = sketch.world(), .sequence = 1});
  EXPECT_FALSE(find_divergence(sketch.job, align(sketch.job)));
}

JobSketch any_job() {
  JobSketch sketch(4);
  const model::CommunicatorId groups[] = {sketch.world(), sketch.group("left", {0, 1, 2}),
                                          sketch.group("right", {1, 2, 3})};
  const auto schedule = *rc::gen::container<std::vector<int>>(8, rc::gen::inRange(0, 3));
  std::map<std::pair<int, int>, std::uint64_t> numbers;
  for (const int group : schedule) {
    for (const int rank : std::vector<int>(sketch.job.communicators[groups[group]].members)) {
      const std::uint64_t number = numbers[{rank, group}]++;
      const auto output = *rc::gen::weightedElement<std::uint64_t>({{40, 7}, {1, 8}, {1, 9}, {1, 0}});
      call_with_result(sketch, rank, groups[group], number, output);
    }
  }
  return sketch;
}

using Key = std::pair<model::CommunicatorId, std::uint64_t>;

// The obvious way: which meetings have two results, and which of those does no rank reach after another.
std::pair<std::set<Key>, std::set<Key>> slow_divergences(const model::Job& job) {
  std::map<Key, std::set<std::uint64_t>> results;
  for (const model::RankHistory& history : job.ranks) {
    for (const model::Event& event : history.events) {
      const std::uint64_t output = job.checksums[static_cast<std::size_t>(event.checksums)].output;
      if (output != 0) results[{event.communicator, event.sequence}].insert(output);
    }
  }
  std::set<Key> diverged;
  for (const auto& [key, outputs] : results) {
    if (outputs.size() > 1) diverged.insert(key);
  }
  std::set<Key> first = diverged;
  for (const model::RankHistory& history : job.ranks) {
    bool is_behind = false;
    for (const model::Event& event : history.events) {
      const Key key{event.communicator, event.sequence};
      if (!diverged.contains(key)) continue;
      if (is_behind) first.erase(key);
      is_behind = true;
    }
  }
  return {diverged, first};
}

RC_GTEST_PROP(Divergence, AgreesWithTheObviousWay, ()) {
  const JobSketch sketch = any_job();
  const Alignment alignment = align(sketch.job);
  const auto found = find_divergence(sketch.job, alignment);
  const auto [diverged, first] = slow_divergences(sketch.job);
  RC_ASSERT(found.has_value() == !diverged.empty());
  if (!found) return;
  RC_ASSERT(found->meetings == diverged.size());
  RC_ASSERT(first.contains({found->meeting.communicator, found->meeting.sequence}));
  std::map<std::uint64_t, std::vector<int>> by_output;
  for (const EventPlace place : found->meeting.arrivals) {
    const auto checksums = static_cast<std::size_t>(event_at(sketch.job, place).checksums);
    const std::uint64_t output = sketch.job.checksums[checksums].output;
    if (output != 0) by_output[output].push_back(static_cast<int>(place.rank));
  }
  std::size_t most = 0;
  std::size_t with_most = 0;
  for (const auto& entry : by_output) {
    if (entry.second.size() > most) with_most = 0;
    most = std::max(most, entry.second.size());
    if (entry.second.size() == most) ++with_most;
  }
  RC_ASSERT(found->is_tie == (with_most > 1));
  if (!found->is_tie) RC_ASSERT(found->agreeing_ranks.size() == most);
}

RC_GTEST_PROP(Divergence, DoesNotDependOnOrder, ()) {
  const JobSketch sketch = any_job();
  const model::Job other =
      testing::relabel(sketch.job, testing::same_numbers(4), *rc::gen::inRange(0U, 1000U));
  const Alignment here_alignment = align(sketch.job);
  const Alignment there_alignment = align(other);
  const auto here = find_divergence(sketch.job, here_alignment);
  const auto there = find_divergence(other, there_alignment);
  RC_ASSERT(here.has_value() == there.has_value());
  if (!here) return;
  RC_ASSERT(finding_of(sketch.job, *here).title == finding_of(other, *there).title);
  RC_ASSERT(here->odd_ranks == there->odd_ranks);
}

}  // namespace
}  // namespace lockstep::ranks
