#include "check/flows/judge_flows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::flows {
namespace {

using hostinfo::HostFacts;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

HostFacts host(const std::string& name, const std::string& address, const std::string& rules = "") {
  HostFacts facts;
  facts.name = name;
  hostinfo::Interface eth;
  eth.name = "eth0";
  eth.mtu = 1500;
  eth.is_up = eth.is_running = true;
  eth.addresses = {{.prefix = *base::parse_prefix(address + "/16")}};
  facts.interfaces = {eth};
  facts.routes = {{.destination = {eth.addresses[0].prefix.first(), 16}, .interface = "eth0"}};
  facts.environment["GLOO_SOCKET_IFNAME"] = "eth0";
  facts.firewall.was_seen = true;
  if (!rules.empty())
    facts.firewall.iptables = {{hostinfo::IptablesKind::kLegacy, false, "*filter\n" + rules + "COMMIT\n"}};
  return facts;
}

config::Configuration two_nodes() {
  config::Inputs inputs;
  inputs.command = {"torchrun", "--nnodes", "3", "--master-addr", "10.0.0.1", "train.py"};
  inputs.read_file = [](const std::string& path) -> Result<std::string> { return Error{"", path, "", ""}; };
  return config::read_configuration(inputs);
}

TEST(JudgeFlows, OpenHostsAreSilent) {
  const std::vector<HostFacts> hosts = {host("a", "10.0.0.1"), host("b", "10.0.0.2"), host("c", "10.0.0.3")};
  const FlowJudgement judgement = judge_flows(two_nodes(), hosts);
  EXPECT_THAT(judgement.findings, IsEmpty());
  EXPECT_TRUE(judgement.matrix.empty());
}

TEST(JudgeFlows, ABlockedStoreNamesTheRuleAndAPacket) {
  const std::vector<HostFacts> hosts = {
      host("a", "10.0.0.1", ":INPUT ACCEPT [0:0]\n-A INPUT -s 10.0.0.2/32 -p tcp --dport 29500 -j DROP\n"),
      host("b", "10.0.0.2"), host("c", "10.0.0.3")};
  const FlowJudgement judgement = judge_flows(two_nodes(), hosts);
  ASSERT_THAT(judgement.findings, SizeIs(1));
  const model::Finding& finding = judgement.findings[0];
  EXPECT_EQ(finding.code, "hang.client_timeout");
  EXPECT_DOUBLE_EQ(finding.confidence, 0.97);
  EXPECT_THAT(finding.title, HasSubstr("1 of 2 connections that the rendezvous store needs"));
  EXPECT_THAT(finding.explanation, HasSubstr("10.0.0.2:32768 -> 10.0.0.1:29500"));
  EXPECT_EQ(finding.evidence[0].file, "a");
  EXPECT_THAT(finding.evidence[0].text, HasSubstr("b to a"));
  EXPECT_THAT(to_text(judgement.matrix), HasSubstr("  b   1  x     ."));
  ASSERT_TRUE(judgement.matrix.lines[1].why.contains(0));
  EXPECT_THAT(judgement.matrix.lines[1].why.at(0), HasSubstr("-A INPUT -s 10.0.0.2/32"));
}

TEST(JudgeFlows, ClosedPortsOfRanksAreFoundThoughTheStoreIsOpen) {
  const std::vector<HostFacts> hosts = {host("a", "10.0.0.1"), host("b", "10.0.0.2"),
                                        host("c", "10.0.0.3",
                                             ":INPUT DROP [0:0]\n-A INPUT -m conntrack --ctstate ESTABLISHED "
                                             "-j ACCEPT\n-A INPUT -p tcp --dport 22 "
                                             "-j ACCEPT\n")};
  const FlowJudgement gloo = judge_flows(two_nodes(), hosts);
  // The larger address connects, so nobody has to reach c.
  EXPECT_THAT(gloo.findings, IsEmpty());
  std::vector<HostFacts> with_gpus = hosts;
  for (HostFacts& one : with_gpus) one.gpus.gpus.push_back({});
  const FlowJudgement nccl = judge_flows(two_nodes(), with_gpus);
  ASSERT_THAT(nccl.findings, SizeIs(1));
  EXPECT_EQ(nccl.findings[0].code, "hang.nccl_bootstrap");
}

TEST(JudgeFlows, AJobOnOneHostNeedsNothing) {
  config::Inputs inputs;
  inputs.command = {"torchrun", "train.py"};
  const std::vector<HostFacts> hosts = {host("a", "10.0.0.1", ":INPUT DROP [0:0]\n"), host("b", "10.0.0.2")};
  EXPECT_THAT(judge_flows(config::read_configuration(inputs), hosts).findings, IsEmpty());
}

using network::Decider;
using network::PortSet;
using network::ShownPacket;

const ShownPacket kFirst{.source = *base::parse_address("10.0.0.3"),
                         .source_port = 32768,
                         .destination = *base::parse_address("10.0.0.1"),
                         .destination_port = 29500};

TEST(AcceptCommand, SpeaksTheLanguageOfTheFirewall) {
  const Decider legacy{.firewall = "iptables-legacy", .table = "filter", .chain = "INPUT"};
  EXPECT_EQ(accept_command(legacy, kFirst, PortSet::one(29500)),
            "iptables-legacy -t filter -I INPUT -s 10.0.0.3 -p tcp --dport 29500 -j ACCEPT");
  const Decider nft{.firewall = "nftables", .table = "inet f", .chain = "output", .handle = 7};
  EXPECT_EQ(accept_command(nft, kFirst, PortSet{{32768, 60999}}),
            "nft insert rule inet f output position 7 ip daddr 10.0.0.1 tcp dport { 32768-60999 } accept");
}

TEST(AcceptCommand, AnAnswerIsLetThroughByItsConnection) {
  ShownPacket answer = kFirst;
  answer.is_reply = true;
  const Decider nft{.firewall = "iptables-nft", .table = "filter", .chain = "INPUT"};
  EXPECT_EQ(accept_command(nft, answer, PortSet::one(29500)),
            "iptables-nft -t filter -I INPUT -m conntrack --ctstate ESTABLISHED -j ACCEPT");
}

}  // namespace
}  // namespace lockstep::flows
