#include "run/multihost/job_place.h"

#include <gtest/gtest.h>

namespace lockstep::multihost {
namespace {

TEST(JobPlace, IsFoundInTheEnvironmentAsAProcessHasIt) {
  const auto place = find_place(
      {.command = {"./train"}, .environment = {"RANK=1", "WORLD_SIZE=2", "MASTER_ADDR=node0", "A=b=c"}});
  ASSERT_TRUE(place && place->head);
  EXPECT_EQ(place->index, 1U);
  EXPECT_EQ(place->head->host, "node0");
}

TEST(JobPlace, HostAndPort) {
  EXPECT_EQ(parse_host_port("node0:29400").value(), (HostPort{"node0", 29400}));
  EXPECT_EQ(parse_host_port("[fd00::1]:80").value(), (HostPort{"fd00::1", 80}));
  for (const char* wrong : {"", "node0", "node0:", ":80", "node0:0", "node0:99999", "node0:x"}) {
    EXPECT_FALSE(parse_host_port(wrong).ok()) << wrong;
  }
  EXPECT_TRUE(is_this_host("127.0.0.1"));
  EXPECT_FALSE(is_this_host("198.51.100.7"));
}

}  // namespace
}  // namespace lockstep::multihost
