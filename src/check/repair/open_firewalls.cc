#include "check/repair/open_firewalls.h"

#include <algorithm>
#include <functional>
#include <map>
#include <thread>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "check/flows/required_flows.h"
#include "check/repair/launch_value.h"
#include "network/pairs.h"
#include "network/reach.h"

namespace lockstep::repair {
namespace {

using base::Json;

bool is_ipv6(const FirewallRule& rule) {
  return !rule.peers.empty() && rule.peers.begin()->family == base::Family::kIpv6;
}

// Names come from the host's own text and go into a command.
std::string table_of(const FirewallRule& rule) {
  const std::size_t space = rule.decider.table.find(' ');
  if (space == std::string::npos) return shell_word(rule.decider.table);
  return shell_word(rule.decider.table.substr(0, space)) + " " +
         shell_word(rule.decider.table.substr(space + 1));
}

std::vector<std::string> peers_of(const FirewallRule& rule) {
  std::vector<std::string> peers;
  for (const base::Address& peer : rule.peers) peers.push_back(base::to_text(peer));
  return peers;
}

std::string ports_of(const FirewallRule& rule, char between, std::string_view separator) {
  std::vector<std::string> ranges;
  for (const network::PortRange& range : rule.ports.ranges())
    ranges.push_back(range.first == range.last ? fmt::format("{}", range.first)
                                               : fmt::format("{}{}{}", range.first, between, range.last));
  return fmt::format("{}", fmt::join(ranges, separator));
}

Json equal(const char* protocol, const char* field, Json right) {
  return {{"match",
           {{"op", "=="},
            {"left", {{"payload", {{"protocol", protocol}, {"field", field}}}}},
            {"right", std::move(right)}}}};
}

Json nft_expression(const FirewallRule& rule) {
  Json expression = Json::array();
  if (rule.is_reply) {
    expression.push_back(
        {{"match", {{"op", "in"}, {"left", {{"ct", {{"key", "state"}}}}}, {"right", "established"}}}});
  } else {
    Json peers = Json::array();
    for (const std::string& peer : peers_of(rule)) peers.push_back(peer);
    Json ports = Json::array();
    for (const network::PortRange& range : rule.ports.ranges())
      ports.push_back({{"range", {range.first, range.last}}});
    expression.push_back(
        equal(is_ipv6(rule) ? "ip6" : "ip", rule.is_leaving ? "daddr" : "saddr", {{"set", peers}}));
    expression.push_back(equal("tcp", "dport", {{"set", ports}}));
  }
  expression.push_back({{"accept", nullptr}});
  return expression;
}

void insert_nft(const FirewallRule& rule, Json& document) {
  const std::size_t space = rule.decider.table.find(' ');
  const std::string family = rule.decider.table.substr(0, space);
  const std::string table = rule.decider.table.substr(space + 1);
  Json& objects = document["nftables"];
  std::size_t place = objects.size();
  for (std::size_t at = 0; at < objects.size(); ++at) {
    const auto found = objects[at].find("rule");
    if (found == objects[at].end() || found->value("family", "") != family ||
        found->value("table", "") != table || found->value("chain", "") != rule.decider.chain)
      continue;
    if (rule.decider.handle && found->value("handle", Json()) != Json(*rule.decider.handle)) continue;
    place = at;
    break;
  }
  Json made = {{"rule",
                {{"family", family},
                 {"table", table},
                 {"chain", rule.decider.chain},
                 {"handle", 0},
                 {"expr", nft_expression(rule)}}}};
  objects.insert(objects.begin() + static_cast<std::ptrdiff_t>(place), std::move(made));
}

std::string iptables_match(const FirewallRule& rule) {
  if (rule.is_reply) return "-m conntrack --ctstate ESTABLISHED";
  const bool are_many = rule.ports.ranges().size() > 1;
  return fmt::format("-p tcp {} {}", are_many ? "-m multiport --dports" : "-m tcp --dport",
                     ports_of(rule, ':', ","));
}

void insert_iptables(const FirewallRule& rule, std::string& text) {
  const std::size_t table = text.find(fmt::format("*{}\n", rule.decider.table));
  if (table == std::string::npos) return;
  const std::size_t commit = text.find("COMMIT", table);
  std::size_t place = text.find(fmt::format("-A {} ", rule.decider.chain), table);
  if (place == std::string::npos || place > commit) place = commit;
  if (place == std::string::npos) return;
  std::string lines;
  const char* const side = rule.is_leaving ? "-d" : "-s";
  if (rule.is_reply) lines = fmt::format("-A {} {} -j ACCEPT\n", rule.decider.chain, iptables_match(rule));
  for (const std::string& peer : rule.is_reply ? std::vector<std::string>{} : peers_of(rule))
    lines += fmt::format("-A {} {} {}/{} {} -j ACCEPT\n", rule.decider.chain, side, peer,
                         is_ipv6(rule) ? 128 : 32, iptables_match(rule));
  text.insert(place, lines);
}

using OnBlocked = std::function<void(const flows::RequiredFlow&, const network::FlowVerdict&)>;

void add_if_blocked(const flows::RequiredFlow& flow, const network::ReachHosts& hosts,
                    const OnBlocked& found) {
  const auto verdict = network::judge_flow(hosts.at(flow.source), hosts.at(flow.destination), flow.flow);
  if (verdict.reach == network::Reach::kBlocked) found(flow, verdict);
}

// The connections of a plan that do not come about, one by one.
void each_blocked(const flows::FlowPlan& plan, const network::ReachHosts& hosts, const OnBlocked& found) {
  for (const flows::RequiredFlow& flow : plan.flows) add_if_blocked(flow, hosts, found);
  for (const flows::Mesh& mesh : plan.meshes) {
    std::vector<network::Endpoint> ends;
    for (const flows::Mesh::End& end : mesh.ends)
      ends.push_back({end.host, end.address, end.ports, end.bound});
    const auto pairs = network::judge_pairs(hosts, ends, std::thread::hardware_concurrency());
    for (std::size_t source = 0; source < ends.size(); ++source)
      for (std::size_t to = 0; to < ends.size(); ++to)
        if (source != to && pairs.at(source, to) == network::Reach::kBlocked && mesh.kind_of(source, to))
          add_if_blocked(mesh.flow(source, to), hosts, found);
  }
}

// Rounds: each opens what the one before laid open, and a packet passes few chains on its way. Held by
// Repair.OpensAFirewallWhenNothingLighterWorks.
constexpr int kMaxRounds = 6;

using Chain = std::tuple<std::size_t, std::string, std::string, std::string, bool, bool, base::Family>;
using Rules = std::map<Chain, FirewallRule>;

void add(const flows::RequiredFlow& flow, const network::FlowVerdict& verdict,
         const std::vector<hostinfo::HostFacts>& hosts, const std::vector<bool>& may_open, Rules& rules) {
  if (!verdict.decider || verdict.decider->kind != "firewall" || !verdict.packet) return;
  const network::ShownPacket& packet = *verdict.packet;
  const std::size_t sender = packet.is_reply ? flow.destination : flow.source;
  const std::size_t receiver = packet.is_reply ? flow.source : flow.destination;
  const bool is_leaving = verdict.decider->host == hosts[sender].name;
  const std::size_t at = is_leaving ? sender : receiver;
  if (!may_open[at]) return;
  const network::Decider& decider = *verdict.decider;
  FirewallRule& rule = rules[{at, decider.firewall, decider.table, decider.chain, is_leaving, packet.is_reply,
                              packet.source.family}];
  if (rule.peers.empty()) {
    rule.decider = decider;
    if (decider.text.starts_with("policy")) rule.decider.handle.reset();  // that of the chain
  } else if (rule.decider.handle != decider.handle) {
    rule.decider.handle.reset();  // several rules block: it must stand before all of them
  }
  rule.is_leaving = is_leaving;
  rule.is_reply = packet.is_reply;
  rule.peers.insert(is_leaving ? packet.destination : packet.source);
  rule.ports.add(flow.flow.ports);
}

}  // namespace

std::string command_of(const FirewallRule& rule) {
  if (rule.decider.firewall == "nftables") {
    const std::string where =
        fmt::format("nft insert rule {} {}", table_of(rule), shell_word(rule.decider.chain)) +
        (rule.decider.handle ? fmt::format(" position {}", *rule.decider.handle) : "");
    if (rule.is_reply) return where + " ct state established accept";
    return fmt::format("{} {} {} '{{ {} }}' tcp dport '{{ {} }}' accept", where, is_ipv6(rule) ? "ip6" : "ip",
                       rule.is_leaving ? "daddr" : "saddr", fmt::join(peers_of(rule), ", "),
                       ports_of(rule, '-', ", "));
  }
  const std::string program = fmt::format("{}{}", is_ipv6(rule) ? "ip6tables" : "iptables",
                                          rule.decider.firewall == "iptables-legacy" ? "-legacy" : "-nft");
  const std::string peers =
      rule.is_reply ? ""
                    : fmt::format("{} {} ", rule.is_leaving ? "-d" : "-s", fmt::join(peers_of(rule), ","));
  return fmt::format("{} -t {} -I {} {}{} -j ACCEPT", program, table_of(rule), shell_word(rule.decider.chain),
                     peers, iptables_match(rule));
}

void insert(const FirewallRule& rule, hostinfo::FirewallTexts& texts) {
  if (rule.decider.firewall == "nftables") return insert_nft(rule, texts.nftables);
  const auto kind = rule.decider.firewall == "iptables-legacy" ? hostinfo::IptablesKind::kLegacy
                                                               : hostinfo::IptablesKind::kNft;
  for (hostinfo::IptablesText& text : texts.iptables)
    if (text.kind == kind && text.is_ipv6 == is_ipv6(rule)) insert_iptables(rule, text.text);
}

void open_firewalls(const std::vector<bool>& may_open, Patched& patched) {
  if (std::ranges::none_of(may_open, [](bool one) { return one; })) return;
  std::vector<hostinfo::HostFacts>& hosts = patched.situation.hosts;
  const config::Configuration configuration = read(patched.situation);
  const flows::FlowPlan plan = flows::plan_flows(configuration.launches, hosts);
  for (int round = 0; round < kMaxRounds; ++round) {
    Rules rules;
    {
      const network::ReachHosts reach(hosts);
      each_blocked(plan, reach, [&](const auto& flow, const network::FlowVerdict& verdict) {
        add(flow, verdict, hosts, may_open, rules);
      });
    }
    if (rules.empty()) return;
    for (const auto& [chain, rule] : rules) {
      const std::size_t host = std::get<0>(chain);
      insert(rule, hosts[host].firewall);
      patched.situation.renew_document(host);
      patched.hosts.push_back({hosts[host].name, EditKind::kFirewall, command_of(rule)});
    }
  }
}

}  // namespace lockstep::repair
