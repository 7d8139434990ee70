#include "service/engine/nodes/node_returns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::service {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NodeReturns, ANodeIsBackOnceItWasAway) {
  NodeReturns returns;
  returns.see("n1", true, 10);
  returns.see("n2", false, 10);
  EXPECT_THAT(returns.since(0, {"n1", "n2", "n3"}), IsEmpty());
  returns.see("n1", true, 20);
  returns.see("n2", true, 20);
  EXPECT_THAT(returns.since(15, {"n1", "n2", "n3"}), ElementsAre("n2"));
  EXPECT_THAT(returns.since(20, {"n2"}), IsEmpty()) << "that is an earlier return";
  returns.see("n2", false, 30);
  EXPECT_THAT(returns.since(15, {"n2"}), IsEmpty());
}

}  // namespace
}  // namespace lockstep::service
