#include "check/repair/open_firewalls.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "check/repair/blocked_flows.h"
#include "check/repair/firewall_rule.h"

namespace lockstep::repair {
namespace {

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
