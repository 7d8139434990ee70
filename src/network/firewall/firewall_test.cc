#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "network/firewall/rule_sets.h"
#include "network/firewall/sweep.h"
#include "network/reach.h"

namespace lockstep::network {
namespace {

Packet packet_from(const char* source, ConnectionState state = kNew) {
  Packet packet;
  packet.source = *base::parse_address(source);
  packet.destination = *base::parse_address("10.0.0.2");
  packet.incoming = "eth0";
  packet.state = state;
  packet.is_destination_local = true;
  return packet;
}

Firewall nft(const char* rules) {
  hostinfo::FirewallTexts texts;
  texts.was_seen = true;
  auto json = base::parse_json(rules, "test");
  EXPECT_TRUE(json.ok());
  texts.nftables = json.value();
  return read_firewall(texts);
}

Firewall iptables(const char* text) {
  hostinfo::FirewallTexts texts;
  texts.was_seen = true;
  texts.iptables = {{hostinfo::IptablesKind::kLegacy, false, text}};
  return read_firewall(texts);
}

std::string decided(const Firewall& firewall, const Packet& packet, const PortSet& ports,
                    const PortSet& from = PortSet::one(40000)) {
  std::string text;
  for (const Decided& part : sweep(firewall, Hook::kInput, packet, PortPairs(from, ports))) {
    constexpr const char* kWords[] = {"accept", "drop", "reject", "unknown"};
    for (const PortPairs::Box& box : part.ports.boxes())
      text += std::string(kWords[static_cast<int>(part.decision)]) + " " + to_text(box.destination) + "; ";
  }
  return text;
}

constexpr const char* kNft = R"({"nftables": [
  {"metainfo": {"json_schema_version": 1}},
  {"table": {"family": "inet", "name": "f", "handle": 1}},
  {"set": {"family": "inet", "name": "job", "table": "f", "type": "ipv4_addr", "handle": 3,
           "elem": ["10.0.0.9", {"prefix": {"addr": "10.1.0.0", "len": 16}}, {"range": ["10.2.0.1", "10.2.0.5"]}]}},
  {"chain": {"family": "inet", "table": "f", "name": "input", "handle": 1, "type": "filter", "hook": "input",
             "prio": 0, "policy": "drop"}},
  {"chain": {"family": "inet", "table": "f", "name": "ranks", "handle": 2}},
  {"rule": {"family": "inet", "table": "f", "chain": "input", "handle": 4, "expr": [
     {"vmap": {"key": {"ct": {"key": "state"}},
               "data": {"set": [["established", {"accept": null}], ["invalid", {"drop": null}]]}}}]}},
  {"rule": {"family": "inet", "table": "f", "chain": "input", "handle": 5, "expr": [
     {"match": {"op": "==", "left": {"payload": {"protocol": "tcp", "field": "dport"}},
                "right": {"set": [22, {"range": [8000, 8010]}]}}}, {"counter": {"packets": 0, "bytes": 0}},
     {"accept": null}]}},
  {"rule": {"family": "inet", "table": "f", "chain": "input", "handle": 6, "expr": [
     {"match": {"op": "==", "left": {"payload": {"protocol": "ip", "field": "saddr"}}, "right": "@job"}},
     {"jump": {"target": "ranks"}}]}},
  {"rule": {"family": "inet", "table": "f", "chain": "ranks", "handle": 7, "expr": [
     {"match": {"op": "==", "left": {"payload": {"protocol": "tcp", "field": "dport"}}, "right": 29501}},
     {"return": null}]}},
  {"rule": {"family": "inet", "table": "f", "chain": "ranks", "handle": 8, "expr": [
     {"match": {"op": ">=", "left": {"payload": {"protocol": "tcp", "field": "dport"}}, "right": 29500}},
     {"accept": null}]}}
]})";

TEST(NftJson, ChainsJumpsSetsAndPolicies) {
  const Firewall firewall = nft(kNft);
  EXPECT_TRUE(firewall.limits.empty());
  const PortSet ports{{22, 22}, {29500, 29502}};
  EXPECT_EQ(decided(firewall, packet_from("10.9.0.1"), ports), "drop 29500-29502; accept 22; ");
  EXPECT_EQ(decided(firewall, packet_from("10.1.7.7"), ports),
            "drop 29501; accept 22; accept 29500, 29502; ");
  EXPECT_EQ(decided(firewall, packet_from("10.2.0.6"), ports), "drop 29500-29502; accept 22; ");
  EXPECT_EQ(decided(firewall, packet_from("10.9.0.1", kEstablished), ports), "accept 22, 29500-29502; ");
}

TEST(NftJson, TheDecidingRuleIsNamed) {
  const Firewall firewall = nft(kNft);
  const auto parts =
      sweep(firewall, Hook::kInput, packet_from("10.9.0.1"), PortPairs(PortSet::one(1), PortSet::one(9)));
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].decision, Decision::kDrop);
  EXPECT_EQ(parts[0].origin->text, "policy drop");
  EXPECT_EQ(parts[0].origin->table, "inet f");
  EXPECT_EQ(parts[0].origin->chain, "input");
  const auto open =
      sweep(firewall.programs[0], packet_from("10.9.0.1"), PortPairs(PortSet::one(1), PortSet::one(22)));
  EXPECT_EQ(open[0].origin->text, "tcp dport { 22, 8000-8010 } counter accept");
  EXPECT_EQ(open[0].origin->handle, 5U);
}

TEST(NftJson, WhatIsNotUnderstoodIsUnknownOnlyWhereItMatters) {
  const Firewall firewall = nft(R"({"nftables": [
    {"chain": {"family": "ip", "table": "t", "name": "in", "hook": "input", "prio": 0, "policy": "drop"}},
    {"rule": {"family": "ip", "table": "t", "chain": "in", "expr": [
      {"match": {"op": "==", "left": {"payload": {"protocol": "tcp", "field": "dport"}}, "right": {"range": [10, 19]}}},
      {"match": {"op": "==", "left": {"meta": {"key": "skuid"}}, "right": 7}}, {"accept": null}]}},
    {"rule": {"family": "ip", "table": "t", "chain": "in", "expr": [
      {"match": {"op": "==", "left": {"payload": {"protocol": "tcp", "field": "dport"}}, "right": {"range": [15, 29]}}},
      {"accept": null}]}}]})");
  EXPECT_EQ(decided(firewall, packet_from("10.9.0.1"), PortSet{{10, 30}}),
            "unknown 10-14; drop 30; accept 15-29; ");
}

TEST(NftJson, ConcatenationsMapsAndInterfaces) {
  const Firewall firewall = nft(R"({"nftables": [
    {"map": {"family": "ip", "name": "m", "table": "t", "elem": [[80, {"drop": null}], [81, {"goto": {"target": "o"}}]]}},
    {"chain": {"family": "ip", "table": "t", "name": "in", "hook": "input", "prio": 0, "policy": "accept"}},
    {"chain": {"family": "ip", "table": "t", "name": "o"}},
    {"rule": {"family": "ip", "table": "t", "chain": "in", "expr": [
      {"match": {"op": "==", "left": {"concat": [{"payload": {"protocol": "ip", "field": "saddr"}},
                                                 {"payload": {"protocol": "tcp", "field": "dport"}}]},
                 "right": {"set": [{"concat": ["10.0.0.7", 70]}, {"concat": ["10.0.0.8", 71]}]}}}, {"drop": null}]}},
    {"rule": {"family": "ip", "table": "t", "chain": "in", "expr": [
      {"vmap": {"key": {"payload": {"protocol": "tcp", "field": "dport"}}, "data": "@m"}}]}},
    {"rule": {"family": "ip", "table": "t", "chain": "in", "expr": [
      {"match": {"op": "!=", "left": {"meta": {"key": "iifname"}}, "right": "eth*"}}, {"drop": null}]}},
    {"rule": {"family": "ip", "table": "t", "chain": "o", "expr": [
      {"match": {"op": "in", "left": {"ct": {"key": "state"}}, "right": ["new", "related"]}}, {"reject": null}]}}]})");
  EXPECT_EQ(decided(firewall, packet_from("10.0.0.7"), PortSet{{70, 81}}),
            "drop 70; drop 80; reject 81; accept 71-79; ");
  Packet other = packet_from("10.0.0.7");
  other.incoming = "docker0";
  EXPECT_EQ(decided(firewall, other, PortSet::one(90)), "drop 90; ");
}

TEST(Iptables, SavedTextOfEitherKind) {
  const Firewall firewall = iptables(
      "# Generated by iptables-save\n*filter\n:INPUT DROP [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT "
      "[0:0]\n"
      ":JOB - [0:0]\n[3:180] -A INPUT -i lo -j ACCEPT\n"
      "-A INPUT -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT\n"
      "-A INPUT -s 10.0.0.0/24 -p tcp -m multiport --dports 22,8000:8010 -m comment --comment \"a -j DROP "
      "b\" -j ACCEPT\n"
      "-A INPUT ! -s 10.9.0.0/16 -p tcp -j JOB\n-A INPUT -p udp -j DROP\n"
      "-A INPUT -p tcp -m limit --limit 5/min -m tcp --dport 99 -j ACCEPT\n"
      "-A JOB -p tcp -m tcp --dport 30000: -j RETURN\n"
      "-A JOB -p tcp -m tcp --tcp-flags FIN,SYN,RST,ACK SYN --dport 29000:29999 -j REJECT --reject-with "
      "tcp-reset\nCOMMIT\n");
  EXPECT_EQ(decided(firewall, packet_from("10.0.0.5"), PortSet{{22, 22}, {99, 99}, {29500, 30001}}),
            "reject 29500-29999; unknown 99; drop 30000-30001; accept 22; ");
  EXPECT_EQ(decided(firewall, packet_from("10.9.0.5"), PortSet::one(29500)), "drop 29500; ");
  EXPECT_EQ(decided(firewall, packet_from("10.9.0.5", kEstablished), PortSet::one(29500)), "accept 29500; ");
}

TEST(Firewall, LegacyAndNftBothMustAccept) {
  hostinfo::FirewallTexts texts;
  texts.was_seen = true;
  texts.nftables = base::parse_json(kNft, "test").value();
  texts.iptables = {{hostinfo::IptablesKind::kLegacy, false,
                     "*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -p tcp --dport 22 -j DROP\nCOMMIT\n"}};
  EXPECT_EQ(decided(read_firewall(texts), packet_from("10.9.0.1"), PortSet::one(22)), "drop 22; ");
}

TEST(Firewall, JumpsInCirclesEndAsUnknown) {
  const Firewall firewall =
      iptables("*filter\n:INPUT ACCEPT [0:0]\n:A - [0:0]\n-A INPUT -j A\n-A A -j A\nCOMMIT\n");
  EXPECT_EQ(decided(firewall, packet_from("10.9.0.1"), PortSet::one(22)), "unknown 22; ");
}

// Each chain calls the next one twice: unfolded, 14 chains would be 16,384 copies of the last.
TEST(Firewall, ChainsThatUnfoldWithoutMeasureEndAsUnknown) {
  std::string text = "*filter\n:INPUT ACCEPT [0:0]\n";
  for (int at = 0; at < 14; ++at) text += fmt::format(":C{} - [0:0]\n", at);
  text += "-A INPUT -j C0\n";
  for (int at = 0; at < 13; ++at)
    for (int call = 0; call < 2; ++call) text += fmt::format("-A C{} -j C{}\n", at, at + 1);
  text += "-A C13 -p tcp --dport 1 -j DROP\nCOMMIT\n";
  const Firewall firewall = iptables(text.c_str());
  ASSERT_EQ(firewall.programs.size(), 1U);
  EXPECT_LT(firewall.programs[0].instructions.size(), 8192U);
  EXPECT_EQ(decided(firewall, packet_from("10.9.0.1"), PortSet::one(22)), "unknown 22; ");
}

TEST(Firewall, SourcePortsAreCarvedToo) {
  const Firewall firewall =
      iptables("*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -p tcp --sport 100:199 --dport 50 -j DROP\nCOMMIT\n");
  const auto parts = sweep(firewall, Hook::kInput, packet_from("10.0.0.1"),
                           PortPairs(PortSet{{150, 250}}, PortSet{{50, 51}}));
  for (const Decided& part : parts) {
    EXPECT_EQ(part.decision == Decision::kDrop, part.ports.contains({150, 50}));
    EXPECT_EQ(part.decision == Decision::kAccept, part.ports.contains({200, 50}));
    EXPECT_EQ(part.decision == Decision::kAccept, part.ports.contains({150, 51}));
  }
}

}  // namespace
}  // namespace lockstep::network
