#include "check/flows/accept_command.h"

#include <gtest/gtest.h>

namespace lockstep::flows {
namespace {

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
