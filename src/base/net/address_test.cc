#include "base/net/address.h"

#include <gtest/gtest.h>

namespace lockstep::base {
namespace {

TEST(Address, TextAndValueAreTheSame) {
  for (const char* text : {"10.0.0.1", "255.255.255.255", "fe80::1", "::", "2001:db8::7"})
    EXPECT_EQ(to_text(*parse_address(text)), text);
  EXPECT_EQ(to_text(*parse_address("fe80::1%eth0")), "fe80::1");
  for (const char* text : {"", "10.0.0", "10.0.0.256", "host", "10.0.0.1/8", "fe80:::1"})
    EXPECT_FALSE(parse_address(text)) << text;
}

TEST(Address, KindsAreKnown) {
  EXPECT_TRUE(parse_address("127.0.1.1")->is_loopback());
  EXPECT_TRUE(parse_address("::1")->is_loopback());
  EXPECT_FALSE(parse_address("::2")->is_loopback());
  EXPECT_TRUE(parse_address("fe80::1")->is_link_local());
  EXPECT_TRUE(parse_address("172.31.0.1")->is_private());
  EXPECT_FALSE(parse_address("172.32.0.1")->is_private());
  EXPECT_EQ(unmapped(*parse_address("::ffff:10.0.0.1")), *parse_address("10.0.0.1"));
}

TEST(Prefix, ContainsItsAddressesOnly) {
  const Prefix prefix = *parse_prefix("10.0.4.9/22");
  EXPECT_EQ(to_text(prefix.first()), "10.0.4.0");
  EXPECT_EQ(to_text(prefix.last()), "10.0.7.255");
  EXPECT_TRUE(prefix.contains(*parse_address("10.0.7.255")));
  EXPECT_FALSE(prefix.contains(*parse_address("10.0.8.0")));
  EXPECT_FALSE(prefix.contains(*parse_address("::1")));
  EXPECT_TRUE(whole_family(Family::kIpv6).contains(*parse_address("fe80::1")));
  EXPECT_FALSE(parse_prefix("10.0.0.0/33"));
}

TEST(Address, TheNextOneEndsAtTheEdge) {
  EXPECT_EQ(to_text(*next(*parse_address("10.0.0.255"))), "10.0.1.0");
  EXPECT_FALSE(next(*parse_address("255.255.255.255")));
}

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
