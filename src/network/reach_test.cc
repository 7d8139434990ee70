#include "network/reach.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "network/pairs.h"

namespace lockstep::network {
namespace {

using testing::HasSubstr;

hostinfo::HostFacts host(const std::string& name, const std::string& address, const std::string& rules = "") {
  hostinfo::HostFacts facts;
  facts.name = name;
  hostinfo::Interface lo;
  lo.name = "lo";
  lo.is_up = lo.is_running = lo.is_loopback = true;
  lo.addresses = {{.prefix = *base::parse_prefix("127.0.0.1/8")}};
  hostinfo::Interface eth;
  eth.name = "eth0";
  eth.mtu = 1500;
  eth.is_up = eth.is_running = true;
  eth.addresses = {{.prefix = *base::parse_prefix(address + "/16")}};
  facts.interfaces = {lo, eth};
  facts.routes = {
      {.destination = {eth.addresses[0].prefix.first(), 16}, .interface = "eth0"},
      {.table = "local", .kind = "local", .destination = *base::parse_prefix(address), .interface = "eth0"}};
  facts.firewall.was_seen = true;
  if (!rules.empty())
    facts.firewall.iptables = {{hostinfo::IptablesKind::kLegacy, false, "*filter\n" + rules + "COMMIT\n"}};
  return facts;
}

Flow to(const char* address, std::uint16_t port) {
  return {.source = {}, .destination = *base::parse_address(address), .ports = PortSet::one(port)};
}

FlowVerdict judge(const hostinfo::HostFacts& source, const hostinfo::HostFacts& destination,
                  const Flow& flow) {
  return judge_flow(reach_host(source), reach_host(destination), flow);
}

TEST(Reach, OpenWhenNothingIsInTheWay) {
  const FlowVerdict verdict = judge(host("a", "10.0.0.1"), host("b", "10.0.0.2"), to("10.0.0.2", 29500));
  EXPECT_EQ(verdict.reach, Reach::kOpen) << verdict.why;
  EXPECT_EQ(verdict.mtu, 1500U);
}

TEST(Reach, TheRuleOfTheDestinationIsShownWithAPacket) {
  const hostinfo::HostFacts b =
      host("b", "10.0.0.2", ":INPUT ACCEPT [0:0]\n-A INPUT -s 10.0.0.1/32 -p tcp --dport 29500 -j DROP\n");
  const FlowVerdict verdict = judge(host("a", "10.0.0.1"), b, to("10.0.0.2", 29500));
  ASSERT_EQ(verdict.reach, Reach::kBlocked);
  EXPECT_EQ(verdict.decider->host, "b");
  EXPECT_EQ(verdict.decider->chain, "INPUT");
  EXPECT_TRUE(verdict.decider->is_silent);
  EXPECT_THAT(verdict.decider->text, HasSubstr("--dport 29500 -j DROP"));
  EXPECT_EQ(to_text(*verdict.packet), "10.0.0.1:32768 -> 10.0.0.2:29500");
  EXPECT_EQ(judge(host("c", "10.0.0.3"), b, to("10.0.0.2", 29500)).reach, Reach::kOpen);
}

TEST(Reach, AnswersMustPassToo) {
  const hostinfo::HostFacts closed = host("a", "10.0.0.1", ":INPUT DROP [0:0]\n");
  const FlowVerdict verdict = judge(closed, host("b", "10.0.0.2"), to("10.0.0.2", 29500));
  ASSERT_EQ(verdict.reach, Reach::kBlocked);
  EXPECT_EQ(verdict.decider->host, "a");
  EXPECT_EQ(to_text(*verdict.packet), "10.0.0.2:29500 -> 10.0.0.1:32768 (answer)");
  const hostinfo::HostFacts stateful =
      host("a", "10.0.0.1", ":INPUT DROP [0:0]\n-A INPUT -m conntrack --ctstate ESTABLISHED -j ACCEPT\n");
  EXPECT_EQ(judge(stateful, host("b", "10.0.0.2"), to("10.0.0.2", 29500)).reach, Reach::kOpen);
}

TEST(Reach, RoutesThatWereNotSeenAreNoMissingRoutes) {
  hostinfo::HostFacts a = host("a", "10.0.0.1");
  a.routes = {{.table = "local", .kind = "local", .destination = *base::parse_prefix("::1/128")}};
  a.unseen = {"routes: ip did not answer in time"};
  EXPECT_EQ(judge(a, host("b", "10.0.0.2"), to("10.0.0.2", 1)).reach, Reach::kUnknown);
}

TEST(Reach, RoutesOfBothSides) {
  EXPECT_EQ(judge(host("a", "10.0.0.1"), host("b", "10.9.0.2"), to("10.9.0.2", 1)).decider->kind, "route");
  hostinfo::HostFacts refusing = host("a", "10.0.0.1");
  refusing.routes.push_back({.kind = "blackhole", .destination = *base::parse_prefix("10.0.0.2/32")});
  const FlowVerdict verdict = judge(refusing, host("b", "10.0.0.2"), to("10.0.0.2", 1));
  EXPECT_EQ(verdict.reach, Reach::kBlocked);
  EXPECT_EQ(verdict.decider->text, "blackhole 10.0.0.2/32");
  hostinfo::HostFacts odd = host("a", "10.0.0.1");
  odd.policy_rules = {{.priority = 5, .table = "9", .not_understood = "ipproto"}};
  EXPECT_EQ(judge(odd, host("b", "10.0.0.2"), to("10.0.0.2", 1)).reach, Reach::kUnknown);
}

TEST(Reach, LoopbackLeadsToOneself) {
  const FlowVerdict verdict = judge(host("a", "10.0.0.1"), host("b", "10.0.0.2"), to("127.0.0.1", 29500));
  EXPECT_EQ(verdict.reach, Reach::kBlocked);
  EXPECT_THAT(verdict.why, HasSubstr("leads a to itself"));
}

TEST(Reach, WithoutTheFirewallNothingIsSure) {
  hostinfo::HostFacts b = host("b", "10.0.0.2");
  b.firewall.was_seen = false;
  const FlowVerdict verdict = judge(host("a", "10.0.0.1"), b, to("10.0.0.2", 29500));
  EXPECT_EQ(verdict.reach, Reach::kUnknown);
  EXPECT_EQ(verdict.why, "the firewall of b was not seen");
}

TEST(Reach, StrictReversePathFilter) {
  hostinfo::HostFacts b = host("b", "10.0.0.2");
  b.sysctls["net.ipv4.conf.eth0.rp_filter"] = "1";
  EXPECT_EQ(judge(host("a", "10.0.0.1"), b, to("10.0.0.2", 1)).reach, Reach::kOpen);
  b.routes.push_back({.destination = *base::parse_prefix("10.0.0.1/32"), .interface = "eth1"});
  const FlowVerdict verdict = judge(host("a", "10.0.0.1"), b, to("10.0.0.2", 1));
  EXPECT_EQ(verdict.reach, Reach::kBlocked);
  EXPECT_EQ(verdict.decider->kind, "rp_filter");
}

TEST(Pairs, AgreeWithEachFlowByItself) {
  std::vector<hostinfo::HostFacts> all;
  for (int at = 0; at < 24; ++at) {
    const std::string address = "10.0." + std::to_string(at % 4) + "." + std::to_string(at + 1);
    std::string rules =
        ":INPUT " + std::string(at % 5 == 0 ? "DROP" : "ACCEPT") + " [0:0]\n:OUTPUT ACCEPT [0:0]\n";
    if (at % 5 == 0)
      rules += "-A INPUT -m conntrack --ctstate ESTABLISHED -j ACCEPT\n-A INPUT -s 10.0.1.0/24 -j ACCEPT\n";
    if (at % 7 == 3) rules += "-A INPUT -s 10.0.2.0/25 -p tcp --dport 29000:30000 -j DROP\n";
    if (at % 6 == 1) rules += "-A OUTPUT -d 10.0.3.8/29 -j REJECT\n";
    if (at % 8 == 2) rules += "-A INPUT -s 10.0.0.0/24 -m owner --uid-owner 3 -j DROP\n";
    all.push_back(host("h" + std::to_string(at), address, rules));
  }
  // Some are seen by another address than the one they are found at, some are found nowhere.
  for (const std::size_t at : {std::size_t{3}, std::size_t{9}}) {
    all[at].interfaces.push_back(all[at].interfaces[1]);
    all[at].interfaces.back().name = "eth1";
    all[at].interfaces.back().addresses = {
        {.prefix = *base::parse_prefix("10.1.0." + std::to_string(at) + "/16")}};
    all[at].routes.push_back({.destination = *base::parse_prefix("10.0.2.0/24"), .interface = "eth1"});
  }
  all[6].sysctls["net.ipv4.ip_local_port_range"] = "20000\t30000";
  const ReachHosts hosts(all);
  std::vector<Endpoint> endpoints;
  for (std::size_t at = 0; at < all.size(); ++at) {
    const PortSet ports{{29500, static_cast<std::uint16_t>(at % 3 == 0 ? 29510 : 40000)}};
    endpoints.push_back({at, all[at].interfaces[1].addresses[0].prefix.address, ports});
  }
  endpoints[4].address = *base::parse_address("127.0.1.1");
  endpoints[5].address = *base::parse_address("10.9.9.9");
  endpoints[7].bound = endpoints[7].address;
  const PairsVerdict pairs = judge_pairs(hosts, endpoints, 2);
  std::uint64_t blocked = 0;
  std::uint64_t unknown = 0;
  for (std::size_t source = 0; source < hosts.size(); ++source) {
    for (std::size_t destination = 0; destination < hosts.size(); ++destination) {
      if (source == destination) continue;
      const Flow flow{.source = endpoints[source].bound,
                      .destination = endpoints[destination].address,
                      .ports = endpoints[destination].ports};
      const Reach reach = judge_flow(hosts.at(source), hosts.at(destination), flow).reach;
      EXPECT_EQ(pairs.at(source, destination), reach) << source << " " << destination;
      blocked += reach == Reach::kBlocked ? 1 : 0;
      unknown += reach == Reach::kUnknown ? 1 : 0;
    }
  }
  EXPECT_EQ(pairs.blocked, blocked);
  EXPECT_EQ(pairs.unknown, unknown);
  EXPECT_GT(blocked, 50U);
  EXPECT_GT(unknown, 10U);
}

TEST(ReachHosts, HostsWithTheSameRulesShareThem) {
  const std::string rules = ":INPUT DROP [0:0]\n";
  const std::vector<hostinfo::HostFacts> all = {host("a", "10.0.0.1", rules), host("b", "10.0.0.2"),
                                                host("c", "10.0.0.3", rules)};
  const ReachHosts hosts(all);
  EXPECT_EQ(hosts.rule_sets(), 2U);
  EXPECT_EQ(hosts.at(0).firewall, hosts.at(2).firewall);
  EXPECT_NE(hosts.at(0).firewall, hosts.at(1).firewall);
}

TEST(Reach, EphemeralPortsAreTheHostsOwn) {
  hostinfo::HostFacts facts;
  EXPECT_EQ(ephemeral_ports(facts).first, 32768);
  facts.sysctls["net.ipv4.ip_local_port_range"] = "50000\t50100";
  EXPECT_EQ(ephemeral_ports(facts).first, 50000);
  EXPECT_EQ(ephemeral_ports(facts).last, 50100);
}

}  // namespace
}  // namespace lockstep::network
