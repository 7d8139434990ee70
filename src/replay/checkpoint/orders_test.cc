#include "replay/checkpoint/orders.h"

#include <gtest/gtest.h>

namespace lockstep::checkpoint {

namespace {

TEST(Orders, SayOnlyWhatIsWanted) {
  EXPECT_EQ(encode_orders({}), "{}\n");
  EXPECT_EQ(encode_orders({.image_every = 10, .to_step = 40}), "{\"image_every\":10,\"to_step\":40}\n");
  EXPECT_EQ(encode_orders({.predicate = "step > \"3\"", .only_asks = true}),
            "{\"predicate\":\"step > \\\"3\\\"\",\"only_asks\":true}\n");
  EXPECT_EQ(encode_orders({.patch = "/p.py", .copy = 2, .break_at = "12:1:17"}),
            "{\"patch\":\"/p.py\",\"copy\":2,\"break_at\":\"12:1:17\"}\n");
}

TEST(Stop, IsReadAsTheProcessToldIt) {
  const auto holds = parse_stop("holds 3\n");
  ASSERT_TRUE(holds);
  EXPECT_EQ(holds->why, Stop::Why::kHolds);
  EXPECT_EQ(holds->step, 3u);
  const auto failed = parse_stop("failed 1 NameError: name 'weight' is not defined\n");
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->why, Stop::Why::kFailed);
  EXPECT_EQ(failed->error, "NameError: name 'weight' is not defined");
  EXPECT_EQ(parse_stop("reached 12")->why, Stop::Why::kReached);
  EXPECT_TRUE(parse_stop("image 20\n")->is_for_image());
  EXPECT_FALSE(parse_stop("image 20\n")->has_gpu_memory());
}

TEST(Stop, SaysOfAnImageWhetherItHoldsWhatWasOnGpus) {
  EXPECT_TRUE(parse_stop("gpu_image 20\n")->is_for_image());
  EXPECT_TRUE(parse_stop("gpu_image 20\n")->has_gpu_memory());
  const auto refused = parse_stop("no_image 4 the driver is too old\n");
  ASSERT_TRUE(refused);
  EXPECT_FALSE(refused->is_for_image());
  EXPECT_EQ(refused->error, "the driver is too old");
}

TEST(Stop, IsNoneWhereTheFileSaysSomethingElse) {
  EXPECT_FALSE(parse_stop(""));
  EXPECT_FALSE(parse_stop("holds"));
  EXPECT_FALSE(parse_stop("holds three"));
  EXPECT_FALSE(parse_stop("ended 3"));
}

}  // namespace

}  // namespace lockstep::checkpoint
