#include "network/flows.h"

#include <gtest/gtest.h>

namespace lockstep::network {
namespace {

HostFacts host(const std::string& name, const std::string& address) {
  HostFacts facts;
  facts.name = name;
  Interface eth;
  eth.name = "eth0";
  eth.is_up = eth.is_running = true;
  eth.addresses = {{.prefix = *parse_prefix(address + "/24")}};
  facts.interfaces = {eth};
  facts.names = {{.name = name, .any = {*parse_address(address)}}};
  return facts;
}

std::string arrows(const RequiredFlows& required) {
  std::string text;
  for (const RequiredFlow& flow : required.flows)
    text += std::to_string(flow.source) + ">" + std::to_string(flow.destination) + " ";
  return text;
}

struct Flows : testing::Test {
  HostFacts a = host("a", "10.0.0.1");
  HostFacts b = host("b", "10.0.0.3");
  HostFacts c = host("c", "10.0.0.2");
  std::vector<JobHost> hosts = {{&a, {}}, {&b, {}}, {&c, {}}};
};

TEST_F(Flows, GloosLargerAddressConnects) {
  const RequiredFlows required = gloo_flows(hosts);
  EXPECT_EQ(arrows(required), "1>0 2>0 1>2 ");
  EXPECT_EQ(to_text(required.flows[0].flow.ports), "32768-60999");
}

TEST_F(Flows, GlooOnLoopbackNeedsBothDirections) {
  a.names[0].any = b.names[0].any = c.names[0].any = {*parse_address("127.0.1.1")};
  const RequiredFlows required = gloo_flows(hosts);
  EXPECT_EQ(required.flows.size(), 6U);
  EXPECT_EQ(judge_flow(reach_host(a), reach_host(b), required.flows[0].flow).reach, Reach::kBlocked);
}

TEST_F(Flows, GlooOfTwoFamiliesIsATrouble) {
  c.interfaces[0].addresses = {{.prefix = *parse_prefix("fd00::2/64")}};
  c.names[0].any = {*parse_address("fd00::2")};
  EXPECT_EQ(gloo_flows(hosts).troubles.size(), 2U);
}

TEST_F(Flows, NcclConnectsToTheCreatorBackAndAroundTheRing) {
  EXPECT_EQ(arrows(nccl_flows(hosts, {2, 30, 0})), "0>1 1>0 1>2 2>1 2>0 0>2 ");
  hosts[1].environment["NCCL_SOCKET_IFNAME"] = "bond0";
  const RequiredFlows broken = nccl_flows(hosts, {2, 30, 0});
  EXPECT_EQ(broken.troubles.size(), 1U);
  EXPECT_EQ(arrows(broken), "2>0 0>2 ");
}

TEST_F(Flows, StoreByTheNameEachHostResolves) {
  b.names.push_back({.name = "m", .ipv6 = {*parse_address("::ffff:10.0.0.1")}});
  c.names.push_back({.name = "m", .ipv6_error = "no such name"});
  a.names.push_back({.name = "m", .ipv6 = {*parse_address("10.0.0.1")}});
  const RequiredFlows required = store_flows(hosts, 0, "m", 29500);
  EXPECT_EQ(arrows(required), "1>0 ");
  EXPECT_EQ(required.troubles.size(), 1U);
  EXPECT_EQ(to_text(required.flows[0].flow.ports), "29500");
}

TEST_F(Flows, TensorflowAndOpenMpi) {
  for (std::size_t at = 0; at < 2; ++at) {
    hosts[at].environment["TF_CONFIG"] =
        R"({"cluster": {"worker": ["10.0.0.1:2222", "10.0.0.3:2223"]}, "task": {"type": "worker", "index": )" +
        std::to_string(at) + "}}";
  }
  hosts.pop_back();
  const RequiredFlows required = tensorflow_flows(hosts);
  EXPECT_EQ(arrows(required), "0>1 1>0 ");
  EXPECT_EQ(to_text(required.flows[0].flow.ports), "2223");
  EXPECT_EQ(arrows(open_mpi_flows(hosts)), "0>1 1>0 ");
}

}  // namespace
}  // namespace lockstep::network
