#include "run/evidence/aside.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace lockstep::evidence {
namespace {

using Clock = std::chrono::steady_clock;

TEST(Aside, GivesTheAnswer) {
  Aside<int> aside([] { return 7; });
  EXPECT_EQ(aside.answer_until(Clock::time_point::max()), 7);
}

TEST(Aside, ThatDoesNotAnswerIsLeftBehind) {
  auto held = std::make_shared<std::promise<int>>();
  Aside<int> aside([held] { return held->get_future().get(); });
  EXPECT_EQ(aside.answer_until(Clock::now()), std::nullopt);
  held->set_value(1);
}

TEST(Aside, ThatThrowsHasNoAnswer) {
  Aside<int> aside([]() -> int { throw std::runtime_error("x"); });
  EXPECT_EQ(aside.answer_until(Clock::time_point::max()), std::nullopt);
}

}  // namespace
}  // namespace lockstep::evidence
