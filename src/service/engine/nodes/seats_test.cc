#include "service/engine/nodes/seats.h"

#include <gtest/gtest.h>

namespace lockstep::service {
namespace {

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

}  // namespace
}  // namespace lockstep::service
