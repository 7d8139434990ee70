#include "run/evidence/python_stacks.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace lockstep::evidence {
namespace {

TEST(StackOffer, IsTheFirstLineOfTheMemory) {
  EXPECT_EQ(parse_stack_offer("lockstep_stacks 1 pid 4711 descriptor 200 signal 50"),
            (StackOffer{.pid = 4711, .descriptor = 200, .signal = 50}));
}

TEST(StackOffer, OfAnotherVersionOrWithAnotherKindOfSignalIsNone) {
  EXPECT_EQ(parse_stack_offer("lockstep_stacks 2 pid 4711 descriptor 200 signal 50"), std::nullopt);
  EXPECT_EQ(parse_stack_offer("lockstep_stacks 1 pid 4711 descriptor 200 signal 9"), std::nullopt);
  EXPECT_EQ(parse_stack_offer("lockstep_stacks 1 pid 4711 descriptor 200 signal 65"), std::nullopt);
  EXPECT_EQ(parse_stack_offer("lockstep_stacks 1 pid -1 descriptor 200 signal 50"), std::nullopt);
  EXPECT_EQ(parse_stack_offer("lockstep_stacks 1 pid 4711 descriptor signal 50"), std::nullopt);
  EXPECT_EQ(parse_stack_offer(""), std::nullopt);
}

TEST(Disturbance, IsNoneForComputingAndLocksAndRefusedByWhoWaitsForSignals) {
  EXPECT_EQ(disturbance_in("running\n"), Disturbance::kNone);
  EXPECT_EQ(disturbance_in(fmt::format("{} 0x1 0x2\n", SYS_futex)), Disturbance::kNone);
  EXPECT_EQ(disturbance_in(fmt::format("{} 0x1 0x2\n", SYS_read)), Disturbance::kSome);
  EXPECT_EQ(disturbance_in(""), Disturbance::kSome);
  EXPECT_EQ(disturbance_in(fmt::format("{} 0x1 0x2\n", SYS_rt_sigtimedwait)), Disturbance::kRefused);
}

// This process offers nothing, so it is not sent the signal, of which it would die.
TEST(PythonStacks, AProcessThatOffersNoneIsLeftAlone) {
  const auto answers =
      ask_for_python_stacks(process::Roots{}, {::getpid(), 0}, std::chrono::milliseconds{50});
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].text, "");
  EXPECT_EQ(answers[0].why_not, "");
  EXPECT_EQ(answers[1].why_not, "it is gone");
}

}  // namespace
}  // namespace lockstep::evidence
