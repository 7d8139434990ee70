#include "service/engine/nodes/shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::service {

namespace {

TEST(NodesFor, AsFewAsHaveRoom) {
  EXPECT_EQ(nodes_for(4, {4, 4}, 0), 1);
  EXPECT_EQ(nodes_for(5, {4, 4}, 0), 2);
  EXPECT_EQ(nodes_for(8, {4, 4, 1}, 0), 2);
  EXPECT_EQ(nodes_for(9, {4, 4, 1}, 0), 0);
  EXPECT_EQ(nodes_for(1, {0, 0}, 0), 0);
}

TEST(NodesFor, ExactlyAsManyAsAsked) {
  EXPECT_EQ(nodes_for(4, {4, 4}, 2), 2);
  EXPECT_EQ(nodes_for(4, {4, 1}, 2), 0);
  EXPECT_EQ(nodes_for(4, {4, 4}, 3), 0);
  EXPECT_EQ(nodes_for(1, {4, 4}, 2), 0);
}

TEST(Seats, EveryRankHasOneAndNodesDifferByOneAtMost) {
  for (int nodes = 1; nodes <= 5; ++nodes) {
    for (int workers = nodes; workers <= 17; ++workers) {
      int rank = 0;
      for (int node = 0; node < nodes; ++node) {
        const int here = ranks_on(node, workers, nodes);
        EXPECT_TRUE(here == workers / nodes || here == workers / nodes + 1);
        for (int local = 0; local < here; ++local, ++rank) {
          const Seat seat = seat_of(rank, workers, nodes);
          EXPECT_EQ(seat.node, node);
          EXPECT_EQ(seat.local_rank, local);
          EXPECT_EQ(seat.local_size, here);
        }
      }
      EXPECT_EQ(rank, workers);
    }
  }
}

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
