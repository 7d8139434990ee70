#include "hostinfo/state/links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/process/folder_for_tests.h"

namespace lockstep::hostinfo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr std::string_view kNetDev =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls "
    "carrier "
    "compressed\n"
    "    lo: 9 9 9 9 0 0 0 0 9 9 9 9 0 0 0 0\n"
    "  eth0:123456789 100 3 4 0 0 0 0 98765 90 5 6 0 0 0 0\n"
    "  ifb0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n";

TEST(NetDev, HasErrorsAndDropsOfEveryInterfaceButTheLoopback) {
  const std::vector<Link> links = parse_net_dev(kNetDev);
  ASSERT_EQ(links.size(), 2U);
  EXPECT_EQ(links[0].name, "eth0");
  EXPECT_THAT(links[0].troubles, ElementsAre(Pair("receive drops", 4), Pair("receive errors", 3),
                                             Pair("transmit drops", 6), Pair("transmit errors", 5)));
}

TEST(NetDev, CutLinesAreLeftOut) {
  EXPECT_THAT(parse_net_dev("  eth0: 1 2 3\n"), IsEmpty());
}

TEST(Links, HaveTheirStateAndThoseNeverUsedAreLeftOut) {
  const process::FolderForTests folder;
  folder.write("proc/net/dev", kNetDev);
  folder.write("sys/class/net/eth0/operstate", "up\n");
  folder.write("sys/class/net/eth0/carrier_changes", "2\n");
  folder.write("sys/class/net/ifb0/operstate", "down\n");
  folder.write("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
  folder.write("sys/class/infiniband/mlx5_0/ports/1/counters/link_downed", "1\n");
  const std::vector<Link> links = read_links(folder.roots());
  ASSERT_EQ(links.size(), 2U);
  EXPECT_EQ(links[0].state, "up");
  EXPECT_EQ(links[0].troubles.at("carrier changes"), 2U);
  EXPECT_EQ(links[1], (Link{.name = "mlx5_0/1", .state = "ACTIVE", .troubles = {{"times down", 1}}}));
}

TEST(SentAgain, IsFoundByItsColumn) {
  EXPECT_EQ(parse_sent_again("Ip: A B\nIp: 1 2\nTcp: RtoMin RetransSegs\nTcp: 200 17\n"), 17U);
  EXPECT_EQ(parse_sent_again("Tcp: RtoMin\nTcp: 200\n"), std::nullopt);
  EXPECT_EQ(parse_sent_again("Tcp: RtoMin RetransSegs\n"), std::nullopt);
}

}  // namespace
}  // namespace lockstep::hostinfo
