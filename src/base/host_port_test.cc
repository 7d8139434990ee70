#include "base/host_port.h"

#include <gtest/gtest.h>

namespace lockstep::base {
namespace {

TEST(HostPort, IsReadWithNamesAndBothFamilies) {
  EXPECT_EQ(host_port_in("node0:29400"), (HostPort{"node0", 29400}));
  EXPECT_EQ(host_port_in("10.0.0.1:0"), (HostPort{"10.0.0.1", 0}));
  EXPECT_EQ(host_port_in("[fd00::1]:80"), (HostPort{"fd00::1", 80}));
}

TEST(HostPort, NeedsBoth) {
  for (const char* wrong : {"", "node0", "node0:", ":80", "[]:80", "node0:65536", "node0:x", "node0:-1"}) {
    EXPECT_EQ(host_port_in(wrong), std::nullopt) << wrong;
  }
}

TEST(HostPort, AnEndpointMayHaveOneOfThem) {
  const auto parts = [](std::string_view text) {
    return endpoint_of(text).host + "|" + endpoint_of(text).port;
  };
  EXPECT_EQ(parts("node0:29400"), "node0|29400");
  EXPECT_EQ(parts("node0"), "node0|");
  EXPECT_EQ(parts("node0:"), "node0|");
  EXPECT_EQ(parts("fd00::1"), "fd00::1|");
  EXPECT_EQ(parts("[fd00::1]:80"), "fd00::1|80");
  EXPECT_EQ(parts("[fd00::1]"), "fd00::1|");
  EXPECT_EQ(parts("[fd00::1"), "fd00::1|");
  EXPECT_EQ(parts(""), "|");
}

}  // namespace
}  // namespace lockstep::base
