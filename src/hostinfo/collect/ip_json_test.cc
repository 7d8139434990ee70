#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hostinfo/collect/parts.h"

namespace lockstep::hostinfo {
namespace {

TEST(IpJson, InterfacesKeepOrderAndCarrier) {
  std::vector<std::string> faults;
  const auto found = interfaces_in(
      R"([{"ifindex":1,"ifname":"lo","flags":["LOOPBACK","UP","LOWER_UP"],"mtu":65536,
           "addr_info":[{"family":"inet","local":"127.0.0.1","prefixlen":8,"scope":"host","label":"lo"}]},
          {},
          {"ifindex":2,"ifname":"eth0","flags":["BROADCAST","NO-CARRIER","UP"],"mtu":1500,"master":"br0",
           "linkinfo":{"info_kind":"veth"},
           "addr_info":[{"family":"inet","local":"10.0.0.2","prefixlen":24},{"local":"bad"},
                        {"family":"inet6","local":"fe80::1","prefixlen":64,"deprecated":true}]}])",
      faults);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].is_loopback);
  EXPECT_TRUE(found[0].is_running);
  EXPECT_FALSE(found[1].is_running);
  EXPECT_TRUE(found[1].is_up);
  EXPECT_EQ(found[1].kind, "veth");
  EXPECT_EQ(found[1].master, "br0");
  ASSERT_EQ(found[1].addresses.size(), 2U);
  EXPECT_TRUE(found[1].addresses[1].is_deprecated);
  EXPECT_TRUE(faults.empty());
}

TEST(IpJson, RoutesOfEveryKind) {
  std::vector<std::string> faults;
  const auto found = routes_in(
      R"([{"dst":"default","gateway":"10.0.0.1","dev":"eth0","metric":100,"flags":[]},
          {"type":"unreachable","dst":"10.9.0.0/16","flags":[]},
          {"type":"local","dst":"10.0.0.2","dev":"eth0","table":"local","prefsrc":"10.0.0.2","flags":[]},
          {"dst":"10.5.0.0/16","flags":[],"nexthops":[{"gateway":"10.0.0.3","dev":"eth0","flags":[]},
                                                      {"gateway":"10.1.0.3","dev":"eth1","flags":["linkdown"]}]}])",
      base::Family::kIpv4, faults);
  ASSERT_EQ(found.size(), 5U);
  EXPECT_TRUE(found[0].destination.is_default());
  EXPECT_EQ(found[0].metric, 100U);
  EXPECT_EQ(found[1].kind, "unreachable");
  EXPECT_EQ(found[2].table, "local");
  EXPECT_EQ(found[3].interface, "eth0");
  EXPECT_FALSE(found[4].is_usable);
}

TEST(IpJson, RulesSayWhatIsNotUnderstood) {
  std::vector<std::string> faults;
  const auto found = policy_rules_in(
      R"([{"priority":0,"src":"all","table":"local"},
          {"priority":99,"src":"10.1.0.0","srclen":16,"fwmark":"0x1f","table":"100"},
          {"priority":100,"src":"all","ipproto":"tcp","table":"101"}])",
      base::Family::kIpv4, faults);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_FALSE(found[0].from);
  EXPECT_EQ(to_text(*found[1].from), "10.1.0.0/16");
  EXPECT_EQ(found[1].mark, 0x1fU);
  EXPECT_EQ(found[2].not_understood, "ipproto");
}

TEST(IpJson, DamageIsToldOnce) {
  std::vector<std::string> faults;
  EXPECT_TRUE(interfaces_in("[{\"ifindex\":1,", faults).empty());
  EXPECT_THAT(faults, testing::ElementsAre("interfaces: the output of ip is not a list in JSON"));
}

}  // namespace
}  // namespace lockstep::hostinfo
