#include "report/html/span_bytes.h"

#include <gtest/gtest.h>

namespace lockstep::html {
namespace {

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
