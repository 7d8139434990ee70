#include "check/flows/accept_command.h"

#include <fmt/format.h>

namespace lockstep::flows {
namespace {

std::string ports_as(const network::PortSet& ports, char between, char separator) {
  std::string text;
  for (const network::PortRange& range : ports.ranges()) {
    if (!text.empty()) text += separator;
    text += range.first == range.last ? fmt::format("{}", range.first)
                                      : fmt::format("{}{}{}", range.first, between, range.last);
  }
  return text;
}

}  // namespace

// An answer is let through by the state of its connection, a first packet by its peer and port.
std::string accept_command(const network::Decider& decider, const network::ShownPacket& packet,
                           const network::PortSet& ports) {
  const bool is_ipv6 = packet.source.family == base::Family::kIpv6;
  const bool is_leaving = decider.chain == "OUTPUT" || decider.chain == "output";
  const std::string peer = base::to_text(is_leaving ? packet.destination : packet.source);
  const bool is_policy = decider.text.starts_with("policy");  // its handle is that of the chain
  if (decider.firewall == "nftables") {
    const std::string where =
        fmt::format("nft insert rule {} {}", decider.table, decider.chain) +
        (decider.handle && !is_policy ? fmt::format(" position {}", *decider.handle) : "");
    if (packet.is_reply) return where + " ct state established accept";
    return fmt::format("{} {} {} {} tcp dport {{ {} }} accept", where, is_ipv6 ? "ip6" : "ip",
                       is_leaving ? "daddr" : "saddr", peer, ports_as(ports, '-', ','));
  }
  const char* const program = is_ipv6 ? "ip6tables" : "iptables";
  const std::string kind = decider.firewall == "iptables-legacy" ? "-legacy" : "-nft";
  const std::string where = fmt::format("{}{} -t {} -I {}", program, kind, decider.table, decider.chain);
  if (packet.is_reply) return where + " -m conntrack --ctstate ESTABLISHED -j ACCEPT";
  const char* const match = ports.ranges().size() > 1 ? "-m multiport --dports" : "--dport";
  return fmt::format("{} {} {} -p tcp {} {} -j ACCEPT", where, is_leaving ? "-d" : "-s", peer, match,
                     ports_as(ports, ':', ','));
}

}  // namespace lockstep::flows
