#include "report/html/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/ranks/testing/job_sketch.h"

namespace lockstep::html {
namespace {

using ranks::testing::Call;
using ranks::testing::JobSketch;

constexpr std::int64_t kSecond = 1'000'000'000;

Call call_at(const JobSketch& sketch, std::uint64_t sequence, std::int64_t begin_us, std::int64_t end_us) {
  return {.communicator = sketch.world(),
          .sequence = sequence,
          .begin_ns = kSecond + begin_us * 1000,
          .end_ns = kSecond + end_us * 1000};
}

TEST(Timeline, RanksWaitUntilTheLastHasCome) {
  JobSketch sketch(2);
  sketch.call(0, call_at(sketch, 1, 0, 500));
  sketch.call(1, call_at(sketch, 1, 400, 500));
  const Timeline timeline = timeline_of(sketch.job);
  EXPECT_EQ(timeline.begin_ns, kSecond);
  ASSERT_EQ(timeline.meetings.size(), 1U);
  EXPECT_EQ(timeline.meetings[0].all_came_us, 400);
  EXPECT_EQ(waiting_in(timeline.ranks[0].spans[0], timeline.meetings), 400);
  EXPECT_EQ(waiting_in(timeline.ranks[1].spans[0], timeline.meetings), 0);
}

TEST(Timeline, WhatNeverEndedLastsToTheEndAndIsAllWaiting) {
  JobSketch sketch(2);
  Call stuck = call_at(sketch, 1, 100, 0);
  stuck.state = model::EventState::kIssued;
  stuck.end_ns = model::kNoTime;
  sketch.call(0, stuck);
  const Timeline timeline = timeline_of(sketch.job);
  EXPECT_EQ(timeline.meetings[0].all_came_us, kNever);
  const Span& span = timeline.ranks[0].spans[0];
  EXPECT_EQ(span.end_us, timeline.length_us);
  EXPECT_EQ(waiting_in(span, timeline.meetings), span.end_us - span.begin_us);
}

TEST(Timeline, ADeadRankDoesNothingAfterItsEnd) {
  JobSketch sketch(2);
  for (const int rank : {0, 1}) {
    Call stuck = call_at(sketch, 1, 100, 0);
    stuck.state = model::EventState::kIssued;
    stuck.end_ns = model::kNoTime;
    sketch.call(rank, stuck);
  }
  sketch.call(0, call_at(sketch, 2, 900, 950));
  model::Rank& dead = sketch.history(1).rank;
  dead.end = model::RankEnd::kExited;
  dead.exit_status = 1;
  dead.ended_ns = kSecond + 400 * 1000;
  const Timeline timeline = timeline_of(sketch.job);
  EXPECT_FALSE(timeline.ranks[0].stop.has_value());
  ASSERT_TRUE(timeline.ranks[1].stop.has_value());
  EXPECT_EQ(timeline.ranks[1].stop->at_us, 300);
  EXPECT_EQ(timeline.ranks[1].stop->words, "exited 1");
  EXPECT_TRUE(timeline.ranks[1].stop->was_bad);
  EXPECT_EQ(timeline.ranks[1].spans[0].end_us, 300);
}

TEST(Timeline, AKilledRankWithoutATimeWasLastSeenAtItsLastEvent) {
  JobSketch sketch(2);
  sketch.call(0, call_at(sketch, 1, 0, 500));
  sketch.call(1, call_at(sketch, 1, 0, 500));
  model::Rank& dead = sketch.history(1).rank;
  dead.end = model::RankEnd::kSignalled;
  dead.exit_status = 9;
  const Timeline timeline = timeline_of(sketch.job);
  ASSERT_TRUE(timeline.ranks[1].stop.has_value());
  EXPECT_EQ(timeline.ranks[1].stop->at_us, 501);
  EXPECT_EQ(timeline.ranks[1].stop->words, "killed by SIGKILL");
}

TEST(Timeline, ARankThatItsLauncherEndedDidNotFail) {
  JobSketch sketch(1);
  sketch.call(0, call_at(sketch, 1, 0, 500));
  sketch.history(0).rank.end = model::RankEnd::kSignalled;
  sketch.history(0).rank.exit_status = 15;
  const Timeline timeline = timeline_of(sketch.job);
  ASSERT_TRUE(timeline.ranks[0].stop.has_value());
  EXPECT_EQ(timeline.ranks[0].stop->words, "killed by SIGTERM");
  EXPECT_FALSE(timeline.ranks[0].stop->was_bad);
}

TEST(Timeline, ABroadcastTellsNothingOfWaiting) {
  JobSketch sketch(2);
  for (const int rank : {0, 1}) {
    Call call = call_at(sketch, 1, rank * 100, 500);
    call.operation = model::Operation::kBroadcast;
    sketch.call(rank, call);
  }
  const Timeline timeline = timeline_of(sketch.job);
  EXPECT_EQ(timeline.meetings[0].all_came_us, 0);
  EXPECT_EQ(waiting_in(timeline.ranks[0].spans[0], timeline.meetings), 0);
}

TEST(Timeline, AJobWithoutTimesHasNone) {
  JobSketch sketch(2);
  sketch.call(0, {.communicator = sketch.world(), .sequence = 1}).begin_ns = model::kNoTime;
  EXPECT_TRUE(timeline_of(sketch.job).is_empty());
}

TEST(Timeline, OldCallsAreFoldedAndNothingIsLostFromTheSums) {
  JobSketch sketch(2);
  for (int i = 0; i < 1000; ++i) {
    sketch.call(0, call_at(sketch, static_cast<std::uint64_t>(i), i * 100, i * 100 + 50));
    sketch.call(1, call_at(sketch, static_cast<std::uint64_t>(i), i * 100 + 20, i * 100 + 50));
  }
  const Timeline whole = timeline_of(sketch.job);
  const Timeline small = timeline_of(sketch.job, 40);
  EXPECT_EQ(whole.meetings.size(), 1000U);
  EXPECT_EQ(small.meetings.size(), 10U);
  const TimelineRank& rank = small.ranks[0];
  ASSERT_EQ(rank.spans.size(), 20U);
  EXPECT_EQ(rank.calls_folded, 990U);
  EXPECT_EQ(rank.spans.back().kind, SpanKind::kCollective);
  std::int64_t waiting = 0;
  std::int64_t transfer = 0;
  std::uint64_t calls = 0;
  for (const Span& span : rank.spans) {
    const bool is_run = span.kind == SpanKind::kRun;
    const std::int64_t waited = is_run ? span.waiting_us : waiting_in(span, small.meetings);
    waiting += waited;
    transfer += is_run ? span.transfer_us : span.end_us - span.begin_us - waited;
    calls += is_run ? span.number : 1;
  }
  EXPECT_EQ(calls, 1000U);
  EXPECT_EQ(waiting, 1000 * 20);
  EXPECT_EQ(transfer, 1000 * 30);
}

TEST(Timeline, TimesOfADamagedFileDoNotOverflow) {
  JobSketch sketch(2);
  sketch.call(
      0,
      {.communicator = sketch.world(), .sequence = 1, .begin_ns = 0, .end_ns = (std::int64_t{1} << 62) - 1});
  sketch.call(1, {.communicator = sketch.world(), .sequence = 1, .begin_ns = INT64_MAX, .end_ns = INT64_MIN});
  const Timeline timeline = timeline_of(sketch.job);
  EXPECT_EQ(timeline.ranks[0].spans.size(), 1U);
  EXPECT_TRUE(timeline.ranks[1].spans.empty());
  EXPECT_LT(timeline.length_us, std::int64_t{1} << 53);
}

using namespace std::string_literals;

TEST(SpanBytes, ACallOfAMeetingIsFourBytes) {
  Timeline timeline;
  timeline.meetings.push_back({.communicator = 0, .sequence = 7, .label = 3, .all_came_us = 0});
  timeline.ranks.push_back({.rank = 0, .spans = {{.begin_us = 5, .end_us = 12, .meeting = 0, .label = 3}}});
  // One span; collective, completed; begin +5 zigzagged; 7 long; the meeting that follows.
  EXPECT_EQ(span_bytes(timeline), "\x01\x0C\x0A\x07\x00"s);
}

TEST(SpanBytes, SitesOwnLabelsStepsAndRuns) {
  Timeline timeline;
  timeline.meetings.push_back({.communicator = 0, .sequence = 7, .label = 3, .all_came_us = 0});
  TimelineRank rank;
  rank.spans.push_back({.begin_us = 1, .end_us = 1, .meeting = 0, .label = 4, .site = 2});
  rank.spans.push_back({.kind = SpanKind::kActivity, .begin_us = 0, .end_us = 200, .label = 1, .number = 9});
  rank.spans.push_back(
      {.kind = SpanKind::kRun, .begin_us = 0, .end_us = 1, .number = 300, .waiting_us = 1, .transfer_us = 0});
  timeline.ranks.push_back(rank);
  EXPECT_EQ(span_bytes(timeline),
            "\x03"
            "\x6C\x02\x00\x00\x04\x02"
            "\x0E\x01\xC8\x01\x01\x09"
            "\x0F\x00\x01\xAC\x02\x01\x00"s);
}

}  // namespace

}  // namespace lockstep::html
