#include "base/closest.h"

#include <rapidcheck.h>

#include <gtest/gtest.h>

namespace lockstep::base {
namespace {

TEST(EditDistance, CountsOneForANeighbourSwap) {
  EXPECT_EQ(edit_distance("dupm", "dump"), 1U);
}

TEST(EditDistance, IsSymmetricAndBoundedByTheLongerWord) {
  EXPECT_TRUE(rc::check("any two words", [](const std::string& a, const std::string& b) {
    const std::size_t distance = edit_distance(a, b);
    RC_ASSERT(distance == edit_distance(b, a));
    RC_ASSERT(distance <= std::max(a.size(), b.size()));
    RC_ASSERT((distance == 0) == (a == b));
  }));
}

TEST(Closest, FindsTheWordThatWasMeant) {
  EXPECT_EQ(closest("dagnose", {"run", "diagnose", "dump"}), "diagnose");
}

TEST(Closest, StaysSilentWhenNothingIsNear) {
  EXPECT_EQ(closest("frobnicate", {"run", "diagnose", "dump"}), std::nullopt);
}

}  // namespace
}  // namespace lockstep::base
