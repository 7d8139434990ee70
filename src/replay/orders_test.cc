#include "replay/orders.h"

#include <gtest/gtest.h>

namespace lockstep::replay {
namespace {

TEST(Orders, SayOnlyWhatIsWanted) {
  EXPECT_EQ(encode_orders({}), "{}\n");
  EXPECT_EQ(encode_orders({.image_every = 10, .to_step = 40}), "{\"image_every\":10,\"to_step\":40}\n");
  EXPECT_EQ(encode_orders({.predicate = "step > \"3\"", .only_asks = true}),
            "{\"predicate\":\"step > \\\"3\\\"\",\"only_asks\":true}\n");
  EXPECT_EQ(encode_orders({.patch = "/p.py", .copy = 2, .break_at = "12:1:17"}),
            "{\"patch\":\"/p.py\",\"copy\":2,\"break_at\":\"12:1:17\"}\n");
}

}  // namespace
}  // namespace lockstep::replay
