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

}  // namespace
}  // namespace lockstep::base
