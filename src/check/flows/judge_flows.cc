#include "check/flows/judge_flows.h"

#include <map>
#include <set>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "network/pairs.h"
#include "network/reach.h"

namespace lockstep::flows {
namespace {

using network::FlowVerdict;
using network::Reach;

std::string ports_as(const network::PortSet& ports, char between, char separator) {
  std::string text;
  for (const network::PortRange& range : ports.ranges()) {
    if (!text.empty()) text += separator;
    text += range.first == range.last ? fmt::format("{}", range.first)
                                      : fmt::format("{}{}{}", range.first, between, range.last);
  }
  return text;
}

// Connections that a finding shows; the rest are counted.
constexpr std::size_t kMaxEvidence = 8;
// Confidences, from 0 to 1: the rule of the firewall or the route was read; what the flow needs is said by
// the library's source, or by general knowledge alone, which can only warn. The first is held by
// JudgeFlows.ABlockedStoreNamesTheRuleAndAPacket.
constexpr double kSure = 0.97;
constexpr double kGeneralKnowledge = 0.6;

struct Blocked {
  RequiredFlow flow;
  FlowVerdict verdict;
};

// All connections of one stack: one finding.
struct Stack {
  std::size_t asked = 0;
  std::size_t blocked = 0;
  std::vector<Blocked> shown;  // the first of the blocked ones
};

std::string pair_in_words(const Blocked& blocked, std::span<const hostinfo::HostFacts> hosts) {
  return fmt::format("{} to {}", hosts[blocked.flow.source].name, hosts[blocked.flow.destination].name);
}

model::Fix fix_for(const Blocked& first) {
  model::Fix fix;
  fix.pattern = model::FixPattern::kNetworkSetting;
  const auto& decider = first.verdict.decider;
  const bool is_firewall = decider && decider->kind == "firewall";
  fix.title =
      is_firewall ? "Let the job's hosts reach these ports of each other" : "Mend the way between the hosts";
  fix.steps.push_back(fmt::format("Ports that must be open: {}.", network::to_text(first.flow.flow.ports)));
  if (decider) fix.steps.push_back(fmt::format("What decides on {}: {}", decider->host, decider->text));
  if (is_firewall && first.verdict.packet)
    fix.steps.push_back("Before that rule: " +
                        accept_command(*decider, *first.verdict.packet, first.flow.flow.ports));
  return fix;
}

model::Finding finding_of(const Stack& stack, std::span<const hostinfo::HostFacts> hosts) {
  const Blocked& first = stack.shown.front();
  const FlowMeaning& meaning = meaning_of(first.flow.kind);
  const bool is_silent = first.verdict.decider && first.verdict.decider->is_silent;
  model::Finding finding;
  finding.leaf = is_silent ? meaning.silent_leaf : model::Leaf::kSetupFail;
  finding.code = is_silent ? meaning.silent_code : meaning.refused_code;
  finding.scope = model::Scope::kDistributed;
  finding.confidence = meaning.is_general_knowledge ? kGeneralKnowledge : kSure;
  finding.title =
      fmt::format("{} of {} connections that {} needs are blocked", stack.blocked, stack.asked, meaning.what);
  finding.explanation =
      fmt::format("From {} ({}): {}.", pair_in_words(first, hosts), meaning.does, first.verdict.why);
  if (first.verdict.packet)
    finding.explanation +=
        fmt::format(" A packet that shows it: {}.", network::to_text(*first.verdict.packet));
  for (const Blocked& one : stack.shown) {
    model::Evidence evidence;
    evidence.file = one.verdict.decider ? one.verdict.decider->host : hosts[one.flow.source].name;
    evidence.level = model::EvidenceLevel::kInferred;
    evidence.text = fmt::format("{}: {}", pair_in_words(one, hosts),
                                one.verdict.decider ? one.verdict.decider->text : one.verdict.why);
    finding.evidence.push_back(std::move(evidence));
  }
  finding.fixes.push_back(fix_for(first));
  return finding;
}

std::vector<std::size_t> ends_on(const Mesh& mesh, std::size_t host) {
  std::vector<std::size_t> found;
  for (std::size_t end = 0; end < mesh.ends.size(); ++end)
    if (mesh.ends[end].host == host) found.push_back(end);
  return found;
}

class FlowJudge {
 public:
  explicit FlowJudge(std::span<const hostinfo::HostFacts> hosts)
      : hosts_(hosts),
        reach_(hosts),
        shared_(network::shared_addresses(hosts)),
        blocked_(hosts.size()),
        unknown_(hosts.size()) {}

  void judge(const RequiredFlow& flow) {
    Stack& stack = stacks_[meaning_of(flow.kind).what];
    ++stack.asked;
    FlowVerdict verdict = verdict_of(flow);
    if (verdict.reach == Reach::kUnknown) doubt(flow);
    if (verdict.reach == Reach::kBlocked) block(stack, flow, std::move(verdict));
  }

  void judge(const Mesh& mesh) {
    std::vector<network::Endpoint> endpoints;
    for (const Mesh::End& end : mesh.ends) endpoints.push_back({end.host, end.address, end.ports, end.bound});
    const auto pairs = network::judge_pairs(reach_, endpoints, std::thread::hardware_concurrency());
    Stack& stack = stacks_[meaning_of(mesh.kind).what];
    for (std::size_t source = 0; source < endpoints.size(); ++source) {
      for (std::size_t destination = 0; destination < endpoints.size(); ++destination) {
        if (source == destination || !mesh.kind_of(source, destination)) continue;
        ++stack.asked;
        const bool is_own = reaches_itself(endpoints[source].host, endpoints[destination].address);
        const Reach reach = is_own ? Reach::kBlocked : pairs.at(source, destination);
        if (reach == Reach::kOpen) continue;
        if (reach == Reach::kUnknown) {
          doubt(mesh.flow(source, destination));
        } else if (stack.shown.size() < kMaxEvidence) {
          const RequiredFlow flow = mesh.flow(source, destination);
          block(stack, flow, verdict_of(flow));
        } else {
          ++stack.blocked;
          blocked_.set(endpoints[source].host, endpoints[destination].host);
        }
      }
    }
  }

  void finish(const FlowPlan& plan, FlowJudgement& judgement) {
    for (const auto& [what, stack] : stacks_) {
      if (stack.blocked == 0) continue;
      judgement.findings.push_back(finding_of(stack, hosts_));
      judgement.stacks.push_back(what);
    }
    if (!judgement.findings.empty()) {
      judgement.matrix = fold(blocked_, unknown_, hosts_);
      give_reasons(judgement.matrix, [&](std::size_t source, std::size_t destination) {
        return reason_between(plan, source, destination);
      });
    }
    if (unknown_count_ > 0)
      judgement.limits.push_back(
          fmt::format("of {} connections it is not known whether they are open", unknown_count_));
  }

 private:
  std::string reason_between(const FlowPlan& plan, std::size_t source, std::size_t destination) {
    for (const RequiredFlow& flow : plan.flows) {
      if (flow.source != source || flow.destination != destination) continue;
      if (std::string why = reason_for(flow); !why.empty()) return why;
    }
    for (const Mesh& mesh : plan.meshes) {
      for (const std::size_t from : ends_on(mesh, source)) {
        for (const std::size_t to : ends_on(mesh, destination)) {
          if (from == to || !mesh.kind_of(from, to)) continue;
          if (std::string why = reason_for(mesh.flow(from, to)); !why.empty()) return why;
        }
      }
    }
    return "";
  }

  // Empty: this one is not blocked.
  std::string reason_for(const RequiredFlow& flow) {
    const FlowVerdict verdict = verdict_of(flow);
    if (verdict.reach != Reach::kBlocked) return "";
    const std::string what = fmt::format("{}: {}", meaning_of(flow.kind).what, verdict.why);
    if (!verdict.decider || what.find(verdict.decider->text) != std::string::npos) return what;
    return fmt::format("{}. What decides on {}: {}", what, verdict.decider->host, verdict.decider->text);
  }

  // Where several hosts have one address, who has it too connects to itself.
  bool reaches_itself(std::size_t source, const base::Address& address) const {
    return shared_.contains(address) && hosts_[source].interface_with(address) != nullptr;
  }

  FlowVerdict verdict_of(const RequiredFlow& flow) const {
    if (!reaches_itself(flow.source, flow.flow.destination))
      return network::judge_flow(reach_.at(flow.source), reach_.at(flow.destination), flow.flow);
    FlowVerdict verdict;
    verdict.reach = Reach::kBlocked;
    verdict.why = fmt::format("{} has the address {} of {} itself", hosts_[flow.source].name,
                              base::to_text(flow.flow.destination), hosts_[flow.destination].name);
    verdict.decider =
        network::Decider{.host = hosts_[flow.source].name, .kind = "address", .text = verdict.why};
    return verdict;
  }

  void doubt(const RequiredFlow& flow) {
    ++unknown_count_;
    unknown_.set(flow.source, flow.destination);
  }

  void block(Stack& stack, const RequiredFlow& flow, FlowVerdict verdict) {
    ++stack.blocked;
    blocked_.set(flow.source, flow.destination);
    if (stack.shown.size() < kMaxEvidence) stack.shown.push_back({flow, std::move(verdict)});
  }

  std::span<const hostinfo::HostFacts> hosts_;
  network::ReachHosts reach_;
  std::set<base::Address> shared_;
  network::BitMatrix blocked_;
  network::BitMatrix unknown_;
  std::size_t unknown_count_ = 0;
  std::map<std::string_view, Stack> stacks_;
};

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

FlowPlan plan_flows(const config::Configuration& configuration, std::span<const hostinfo::HostFacts> hosts) {
  if (hosts.size() < 2 || configuration.launches.empty()) return {};
  const config::LaunchConfig& launch = configuration.launches.front();
  const auto is_multi_host = launch.get(config::Fields::kIsMultiHost);
  if (!is_multi_host || !is_multi_host->value) return {};
  return plan_flows(configuration.launches, hosts);
}

FlowJudgement judge_flows(const config::Configuration& configuration,
                          std::span<const hostinfo::HostFacts> hosts) {
  FlowJudgement judgement;
  FlowPlan plan = plan_flows(configuration, hosts);
  judgement.limits = std::move(plan.limits);
  FlowJudge judge(hosts);
  for (const RequiredFlow& flow : plan.flows) judge.judge(flow);
  for (const Mesh& mesh : plan.meshes) judge.judge(mesh);
  judge.finish(plan, judgement);
  return judgement;
}

}  // namespace lockstep::flows
