#include "diagnose/ranks/hang/wait_graph.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "diagnose/ranks/testing/job_sketch.h"

namespace lockstep::ranks {

namespace {

using model::EventState;
using testing::JobSketch;

// A job whose ranks each have `events` events to wait in.
JobSketch ranks_with_events(int ranks, int events) {
  JobSketch sketch(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    for (int at = 0; at < events; ++at) {
      sketch.call(rank, {.communicator = sketch.world(), .sequence = 1, .state = EventState::kIssued});
    }
  }
  return sketch;
}

Wait wait_of(const std::vector<EventPlace>& waiting, const std::vector<int>& absent,
             std::uint64_t sequence = 1) {
  Wait wait;
  wait.sequence = sequence;
  wait.waiting = waiting;
  wait.absent = absent;
  return wait;
}

std::vector<Cause> causes_of(const JobSketch& sketch, const std::vector<Wait>& waits) {
  return find_causes(sketch.job, waits, std::vector<bool>(waits.size()));
}

TEST(WaitGraph, FollowsVictimsToTheOneWhoWaitsForNobody) {
  const JobSketch sketch = ranks_with_events(4, 1);
  // 0 waits for 1, 1 waits for 2, 2 waits for 3.
  const std::vector<Cause> causes =
      causes_of(sketch, {wait_of({{0, 0}}, {1}), wait_of({{1, 0}}, {2}), wait_of({{2, 0}}, {3})});
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].kind, CauseKind::kMissing);
  EXPECT_EQ(causes[0].roots, std::vector<int>{3});
  EXPECT_EQ(causes[0].victims, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(causes[0].waits, std::vector<std::size_t>{2});
}

TEST(WaitGraph, TwoGroupsInOppositeOrderAreACircleWithItsOnlookersAsVictims) {
  const JobSketch sketch = ranks_with_events(3, 1);
  const std::vector<Cause> causes =
      causes_of(sketch, {wait_of({{0, 0}}, {1}), wait_of({{1, 0}}, {0}), wait_of({{2, 0}}, {0})});
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].kind, CauseKind::kCircle);
  EXPECT_EQ(causes[0].roots, (std::vector<int>{0, 1}));
  EXPECT_EQ(causes[0].victims, std::vector<int>{2});
}

TEST(WaitGraph, MostMembersAbsentMeansThatTheFewMadeAnExtraCall) {
  const JobSketch sketch = ranks_with_events(4, 1);
  const std::vector<Cause> causes = causes_of(sketch, {wait_of({{0, 0}}, {1, 2, 3})});
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].kind, CauseKind::kExtra);
  EXPECT_EQ(causes[0].roots, std::vector<int>{0});
}

TEST(WaitGraph, AWaitBehindAnotherOneIsNotACauseOfItsOwn) {
  const JobSketch sketch = ranks_with_events(3, 2);
  // Everyone came to the second wait, but rank 0 is kept by its first event, in which it waits for rank 2.
  const std::vector<Cause> causes =
      causes_of(sketch, {wait_of({{0, 0}}, {2}), wait_of({{0, 1}, {1, 0}}, {})});
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].roots, std::vector<int>{2});
  EXPECT_EQ(causes[0].victims, (std::vector<int>{0, 1}));
}

TEST(WaitGraph, AHostThatDiedIsOneCauseHoweverManyGroupsMissIt) {
  const JobSketch sketch = ranks_with_events(4, 3);
  const std::vector<Cause> causes =
      causes_of(sketch, {wait_of({{0, 0}, {1, 0}}, {2, 3}), wait_of({{0, 1}}, {2}), wait_of({{1, 1}}, {3})});
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].roots, (std::vector<int>{2, 3}));
}

// By closure over everything that leads anywhere.
RC_GTEST_PROP(WaitGraph, EveryVictimLeadsToItsCauseAndNoWaitingRankIsForgotten, ()) {
  constexpr int kRanks = 5;
  const int count = *rc::gen::inRange(1, 6);
  const JobSketch sketch = ranks_with_events(kRanks, count);
  std::vector<Wait> waits;
  for (int at = 0; at < count; ++at) {
    std::vector<EventPlace> waiting;
    std::vector<int> absent;
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      const int role = *rc::gen::inRange(0, 3);
      if (role == 0) waiting.push_back({.rank = rank, .event = static_cast<std::uint32_t>(at)});
      if (role == 1) absent.push_back(static_cast<int>(rank));
    }
    if (!waiting.empty()) waits.push_back(wait_of(waiting, absent));
  }
  std::map<int, std::set<int>> leads;  // rank to rank
  std::set<int> waiting_ranks;
  for (const Wait& wait : waits) {
    for (const EventPlace place : wait.waiting) {
      waiting_ranks.insert(static_cast<int>(place.rank));
      leads[static_cast<int>(place.rank)].insert(wait.absent.begin(), wait.absent.end());
      // Where everyone came, each waits for those who are kept by an older event.
      for (const EventPlace other : wait.waiting) {
        const bool is_kept = std::ranges::any_of(waits, [&](const Wait& older) {
          return std::ranges::any_of(older.waiting, [&](EventPlace theirs) {
            return theirs.rank == other.rank && theirs.event < other.event;
          });
        });
        if (wait.absent.empty() && is_kept)
          leads[static_cast<int>(place.rank)].insert(static_cast<int>(other.rank));
      }
    }
  }
  for (int round = 0; round < kRanks; ++round) {
    for (auto& [from, to] : leads) {
      const std::set<int> now = to;
      for (const int next : now) to.insert(leads[next].begin(), leads[next].end());
    }
  }

  std::set<int> named;
  for (const Cause& cause : causes_of(sketch, waits)) {
    for (const int root : cause.roots) {
      named.insert(root);
      if (cause.kind == CauseKind::kMissing) RC_ASSERT(!waiting_ranks.contains(root));
      if (cause.kind != CauseKind::kCircle) continue;
      for (const int other : cause.roots) RC_ASSERT(other == root || leads[root].contains(other));
    }
    for (const int victim : cause.victims) {
      named.insert(victim);
      RC_ASSERT(!std::ranges::binary_search(cause.roots, victim));
      if (cause.kind == CauseKind::kMissing || cause.kind == CauseKind::kCircle) {
        RC_ASSERT(std::ranges::any_of(cause.roots, [&](int root) { return leads[victim].contains(root); }));
      }
    }
  }
  for (const int rank : waiting_ranks) RC_ASSERT(named.contains(rank));
}

std::vector<std::vector<bool>> slow_reachable(const Graph& graph) {
  std::vector<std::vector<bool>> reaches(graph.size(), std::vector<bool>(graph.size()));
  for (std::size_t node = 0; node < graph.size(); ++node) {
    reaches[node][node] = true;
    for (const std::size_t next : graph[node]) reaches[node][next] = true;
  }
  for (std::size_t middle = 0; middle < graph.size(); ++middle) {
    for (std::size_t from = 0; from < graph.size(); ++from) {
      for (std::size_t to = 0; to < graph.size(); ++to) {
        if (reaches[from][middle] && reaches[middle][to]) reaches[from][to] = true;
      }
    }
  }
  return reaches;
}

RC_GTEST_PROP(Components, AreTheNodesThatReachEachOther, ()) {
  const auto nodes = *rc::gen::inRange<std::size_t>(1, 12);
  Graph graph(nodes);
  for (auto& edges : graph) {
    edges = *rc::gen::container<std::vector<std::size_t>>(*rc::gen::inRange<std::size_t>(0, 4),
                                                          rc::gen::inRange<std::size_t>(0, nodes));
  }
  const Components components = components_of(graph);
  const auto reaches = slow_reachable(graph);
  for (std::size_t left = 0; left < nodes; ++left) {
    for (std::size_t right = 0; right < nodes; ++right) {
      RC_ASSERT((components.of[left] == components.of[right]) ==
                (reaches[left][right] && reaches[right][left]));
      if (reaches[left][right]) RC_ASSERT(components.of[left] >= components.of[right]);
    }
  }
}

TEST(Components, SurviveALongChain) {
  Graph graph(200'000);
  for (std::size_t node = 0; node + 1 < graph.size(); ++node) graph[node].push_back(node + 1);
  EXPECT_EQ(components_of(graph).count, graph.size());
}

}  // namespace

}  // namespace lockstep::ranks
