#include "base/process/twin_signals.h"

#include <csignal>

#include <gtest/gtest.h>

namespace lockstep::process {
namespace {

using std::chrono::milliseconds;
using Clock = TwinSignals::Clock;

ArrivedSignal signal_of(int number, pid_t sender) {
  ArrivedSignal signal;
  signal.number = number;
  signal.sender = sender;
  return signal;
}

const Clock::time_point kBegin{std::chrono::hours(1)};

TEST(TwinSignals, OneForOneProcessIsDueAfterAWhile) {
  TwinSignals twins;
  twins.hold(signal_of(SIGUSR1, 7), kBegin);
  EXPECT_FALSE(twins.next_due(kBegin + milliseconds(1)));
  ASSERT_TRUE(twins.next_deadline());
  const auto due = twins.next_due(*twins.next_deadline());
  ASSERT_TRUE(due);
  EXPECT_FALSE(due->has_come_to_all);
  EXPECT_FALSE(twins.next_due(kBegin + milliseconds(900)));
}

TEST(TwinSignals, OneThatCameDirectlyTooHasComeToAll) {
  for (const bool is_direct_first : {true, false}) {
    TwinSignals twins;
    if (is_direct_first) twins.note_direct(signal_of(SIGTERM, 7), kBegin);
    twins.hold(signal_of(SIGTERM, 7), kBegin);
    if (!is_direct_first) twins.note_direct(signal_of(SIGTERM, 7), kBegin);
    const auto due = twins.next_due(kBegin);
    ASSERT_TRUE(due);
    EXPECT_TRUE(due->has_come_to_all);
    twins.hold(signal_of(SIGTERM, 7), kBegin);  // a second one, for this process alone
    EXPECT_FALSE(twins.next_due(kBegin + milliseconds(900)).value().has_come_to_all);
  }
}

TEST(TwinSignals, ThoseOfOthersAreNoTwins) {
  TwinSignals twins;
  twins.note_direct(signal_of(SIGTERM, 8), kBegin);
  twins.note_direct(signal_of(SIGUSR1, 7), kBegin);
  twins.hold(signal_of(SIGTERM, 7), kBegin);
  EXPECT_FALSE(twins.next_due(kBegin + milliseconds(900)).value().has_come_to_all);
}

TEST(TwinSignals, TheyStayInOrder) {
  TwinSignals twins;
  twins.hold(signal_of(SIGUSR1, 7), kBegin);
  twins.hold(signal_of(SIGUSR2, 7), kBegin);
  twins.note_direct(signal_of(SIGUSR2, 7), kBegin);
  EXPECT_FALSE(twins.next_due(kBegin + milliseconds(1))) << "the first one waits";
  EXPECT_EQ(twins.next_due(kBegin + milliseconds(900)).value().order.number, SIGUSR1);
  EXPECT_EQ(twins.next_due(kBegin + milliseconds(900)).value().order.number, SIGUSR2);
}

TEST(TwinSignals, OldOnesGiveWay) {
  TwinSignals twins;
  for (int i = 0; i < 100; ++i) twins.note_direct(signal_of(SIGUSR1, 100 + i), kBegin);
  for (int i = 0; i < 20; ++i) twins.hold(signal_of(SIGUSR2, i + 1), kBegin);
  int due = 0;
  while (twins.next_due(kBegin + milliseconds(900))) ++due;
  EXPECT_EQ(due, 16);
}

}  // namespace
}  // namespace lockstep::process
