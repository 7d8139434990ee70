#include "replay/bisect.h"

#include <cmath>
#include <rapidcheck.h>

#include <gtest/gtest.h>

namespace lockstep::replay {
namespace {

struct Search {
  std::optional<std::uint64_t> found;
  int asked = 0;
};

Search search(std::uint64_t from, std::uint64_t last, std::uint64_t turn) {
  Search result;
  const auto found = turning_step(from, last, [&](std::uint64_t step) -> Result<bool> {
    EXPECT_GT(step, from);
    EXPECT_LE(step, last);
    ++result.asked;
    return step >= turn;
  });
  EXPECT_TRUE(found.ok());
  result.found = found.value();
  return result;
}

TEST(TurningStep, IsTheOneThatAskingEveryStepFinds) {
  EXPECT_TRUE(rc::check([] {
    const auto from = *rc::gen::inRange<std::uint64_t>(0, 50);
    const auto steps = *rc::gen::inRange<std::uint64_t>(1, 500);
    const auto turn = *rc::gen::inRange<std::uint64_t>(from + 1, from + steps + 10);
    const Search result = search(from, from + steps, turn);
    const bool is_there = turn <= from + steps;
    RC_ASSERT(result.found == (is_there ? std::optional(turn) : std::nullopt));
    RC_ASSERT(result.asked <= 1 + std::ceil(std::log2(static_cast<double>(steps))));
  }));
}

TEST(TurningStep, IsNotLookedForInNoSteps) {
  EXPECT_FALSE(search(4, 4, 1).found);
}

TEST(TurningStep, IsNotToldWhenItCannotBeAsked) {
  EXPECT_FALSE(turning_step(0, 8, [](std::uint64_t) -> Result<bool> {
                 return Error{"no", "", "", ""};
               }).ok());
}

}  // namespace
}  // namespace lockstep::replay
