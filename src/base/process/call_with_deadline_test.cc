#include "base/process/call_with_deadline.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace lockstep::process {
namespace {

using Clock = std::chrono::steady_clock;

TEST(CallWithDeadline, GivesTheAnswer) {
  CallWithDeadline<int> call([] { return 7; });
  EXPECT_EQ(call.answer_until(Clock::time_point::max()), 7);
}

TEST(CallWithDeadline, LeavesBehindWhatDoesNotAnswer) {
  auto held = std::make_shared<std::promise<int>>();
  CallWithDeadline<int> call([held] { return held->get_future().get(); });
  EXPECT_EQ(call.answer_until(Clock::now()), std::nullopt);
  held->set_value(1);
}

TEST(CallWithDeadline, HasNoAnswerOfWhatThrows) {
  CallWithDeadline<int> call([]() -> int { throw std::runtime_error("x"); });
  EXPECT_EQ(call.answer_until(Clock::time_point::max()), std::nullopt);
}

}  // namespace
}  // namespace lockstep::process
