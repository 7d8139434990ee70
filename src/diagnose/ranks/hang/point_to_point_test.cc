#include "diagnose/ranks/hang/point_to_point.h"

#include <deque>
#include <map>
#include <set>
#include <tuple>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "diagnose/ranks/testing/job_sketch.h"

namespace lockstep::ranks {
namespace {

using model::EventState;
using model::Operation;
using testing::JobSketch;

PointToPoint match(const model::Job& job) {
  return match_point_to_point(job, PresenceTable(job));
}

void send(JobSketch& sketch, int from, int to, EventState state, model::Shape shape = {16}) {
  sketch.call(from, {.communicator = sketch.world(),
                     .operation = Operation::kSend,
                     .shape = std::move(shape),
                     .state = state,
                     .peer = to});
}
void receive(JobSketch& sketch, int at, int from, EventState state, model::Shape shape = {16}) {
  sketch.call(at, {.communicator = sketch.world(),
                   .operation = Operation::kReceive,
                   .shape = std::move(shape),
                   .state = state,
                   .peer = from});
}

TEST(PointToPoint, FindsTheReceiveThatWasNeverPosted) {
  JobSketch sketch(3);
  send(sketch, 0, 1, EventState::kCompleted);
  receive(sketch, 1, 0, EventState::kCompleted);
  send(sketch, 1, 2, EventState::kCompleted);
  receive(sketch, 2, 1, EventState::kCompleted);
  send(sketch, 1, 2, EventState::kIssued);
  const PointToPoint found = match(sketch.job);
  ASSERT_EQ(found.waits.size(), 1U);
  EXPECT_EQ(found.waits[0].kind, WaitKind::kSend);
  EXPECT_EQ(found.waits[0].sequence, 2U);
  EXPECT_EQ(found.waits[0].absent, std::vector<int>{2});
  EXPECT_TRUE(found.mismatches.empty());
}

TEST(PointToPoint, APipelineInWhichEveryMessageHasItsPartnerIsHealthy) {
  JobSketch sketch(4);
  for (int stage = 0; stage < 4; ++stage) {
    for (int batch = 0; batch < 8; ++batch) {
      if (stage > 0) receive(sketch, stage, stage - 1, EventState::kCompleted);
      if (stage < 3) send(sketch, stage, stage + 1, EventState::kCompleted);
    }
  }
  EXPECT_TRUE(match(sketch.job).waits.empty());
}

TEST(PointToPoint, PeersAreRanksOfTheGroupNotOfTheJob) {
  JobSketch sketch(4);
  const model::CommunicatorId high = sketch.group("high", {2, 3});
  sketch.call(2,
              {.communicator = high, .operation = Operation::kSend, .state = EventState::kIssued, .peer = 1});
  const PointToPoint found = match(sketch.job);
  ASSERT_EQ(found.waits.size(), 1U);
  EXPECT_EQ(found.waits[0].silent, std::vector<int>{3});
}

TEST(PointToPoint, OfWrappedRingsOnlyWhatIsPendingIsMatched) {
  JobSketch sketch(2);
  for (int rank = 0; rank < 2; ++rank) sketch.history(rank).begins_at_start = false;
  for (int message = 0; message < 5; ++message) send(sketch, 0, 1, EventState::kCompleted);
  for (int message = 0; message < 3; ++message) receive(sketch, 1, 0, EventState::kCompleted);
  EXPECT_TRUE(match(sketch.job).waits.empty());
  send(sketch, 0, 1, EventState::kIssued);
  EXPECT_EQ(match(sketch.job).waits.at(0).absent, std::vector<int>{1});
  receive(sketch, 1, 0, EventState::kIssued);
  EXPECT_FALSE(match(sketch.job).waits.at(0).misses_someone());
}

TEST(PointToPoint, AMessageOpenOnOneEndAloneIsStuckThere) {
  JobSketch sketch(2);
  send(sketch, 0, 1, EventState::kIssued);
  receive(sketch, 1, 0, EventState::kCompleted);
  const PointToPoint found = match(sketch.job);
  ASSERT_EQ(found.waits.size(), 1U);
  EXPECT_EQ(found.waits[0].waiting.front().rank, 0U);
  EXPECT_EQ(found.waits[0].finished, std::vector<int>{1});
}

TEST(PointToPoint, FindsEndsThatDoNotAgree) {
  JobSketch sketch(2);
  send(sketch, 0, 1, EventState::kCompleted, {4, 4});
  receive(sketch, 1, 0, EventState::kCompleted, {16});
  send(sketch, 0, 1, EventState::kIssued, {16});
  receive(sketch, 1, 0, EventState::kIssued, {32});
  const PointToPoint found = match(sketch.job);
  ASSERT_EQ(found.mismatches.size(), 1U);
  EXPECT_EQ(found.mismatches[0].number, 2U);
}

// The obvious way: put messages into a queue for each pair, take them out in order, see who is left over and
// pending.
using Pending = std::set<std::tuple<int, int, bool, std::uint64_t>>;

Pending slow_unmatched(const model::Job& job) {
  std::map<std::pair<int, int>, std::deque<bool>> sends;
  std::map<std::pair<int, int>, std::deque<bool>> receives;
  for (const model::RankHistory& history : job.ranks) {
    for (const model::Event& event : history.events) {
      const model::Collective& call = job.collectives[event.collective];
      const bool is_pending = model::is_unfinished(event);
      if (call.operation == Operation::kSend) sends[{history.rank.number, *call.peer}].push_back(is_pending);
      if (call.operation == Operation::kReceive)
        receives[{*call.peer, history.rank.number}].push_back(is_pending);
    }
  }
  Pending result;
  for (int from = 0; from < 4; ++from) {
    for (int to = 0; to < 4; ++to) {
      std::deque<bool>& out = sends[{from, to}];
      std::deque<bool>& in = receives[{from, to}];
      std::uint64_t number = 1;
      for (; !out.empty() && !in.empty(); ++number) {
        out.pop_front();
        in.pop_front();
      }
      for (std::uint64_t at = 0; at < out.size(); ++at) {
        if (!out[at]) continue;
        result.insert({from, to, true, number + at});
        break;
      }
      for (std::uint64_t at = 0; at < in.size(); ++at) {
        if (!in[at]) continue;
        result.insert({from, to, false, number + at});
        break;
      }
    }
  }
  return result;
}

RC_GTEST_PROP(PointToPoint, AgreesWithQueues, ()) {
  JobSketch sketch(4);
  const auto messages = *rc::gen::container<std::vector<std::tuple<int, int, bool, bool>>>(
      rc::gen::tuple(rc::gen::inRange(0, 4), rc::gen::inRange(0, 4), rc::gen::arbitrary<bool>(),
                     rc::gen::arbitrary<bool>()));
  for (const auto& [self, peer, is_send, is_pending] : messages) {
    const EventState state = is_pending ? EventState::kIssued : EventState::kCompleted;
    is_send ? send(sketch, self, peer, state) : receive(sketch, self, peer, state);
  }
  Pending fast;
  for (const Wait& wait : match(sketch.job).waits) {
    if (!wait.misses_someone()) continue;  // both ends are posted
    const int self = sketch.job.ranks[wait.waiting.at(0).rank].rank.number;
    const int partner = wait.absent.empty() ? wait.silent.at(0) : wait.absent.at(0);
    const bool is_send = wait.kind == WaitKind::kSend;
    fast.insert({is_send ? self : partner, is_send ? partner : self, is_send, wait.sequence});
  }
  RC_ASSERT(fast == slow_unmatched(sketch.job));
}

}  // namespace
}  // namespace lockstep::ranks
