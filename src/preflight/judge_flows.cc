#include "preflight/judge_flows.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "network/reach.h"
#include "preflight/required_flows.h"

namespace lockstep::preflight {
namespace {

using network::FlowVerdict;
using network::Reach;

constexpr std::size_t kMostEvidence = 8;

struct Meaning {
  model::Leaf leaf;
  std::string_view silent_code;   // the sender waits
  std::string_view refused_code;  // the sender is told
  std::string_view what;
};

Meaning meaning_of(Purpose purpose, bool is_silent) {
  using model::Leaf;
  switch (purpose) {
    case Purpose::kStore:
      return {is_silent ? Leaf::kSetupHang : Leaf::kSetupFail, "hang.client_timeout", "setup.connect_failed",
              "the rendezvous store"};
    case Purpose::kNccl:
      return {is_silent ? Leaf::kSetupHang : Leaf::kSetupFail, "hang.nccl_bootstrap",
              "setup.nccl_connect_failed", "NCCL"};
    case Purpose::kGloo:
      return {Leaf::kSetupFail, "setup.gloo_connect", "setup.gloo_connect", "Gloo"};
    case Purpose::kMpi:
      return {Leaf::kSetupFail, "setup.mpi_tcp", "setup.mpi_tcp", "MPI"};
    case Purpose::kTensorflow:
      return {Leaf::kSetupFail, "setup.grpc_connect", "setup.grpc_connect", "TensorFlow"};
  }
  return {};
}

struct Blocked {
  const RequiredFlow* flow = nullptr;
  FlowVerdict verdict;
};

std::string pair_in_words(const Blocked& blocked, std::span<const network::HostFacts> hosts) {
  return fmt::format("{} to {}", hosts[blocked.flow->source].name, hosts[blocked.flow->destination].name);
}

model::Fix fix_for(const Blocked& first) {
  model::Fix fix;
  fix.pattern = model::FixPattern::kNetworkSetting;
  const bool is_firewall = first.verdict.decider && first.verdict.decider->kind == "firewall";
  fix.title = is_firewall ? "Let the job's hosts reach these ports of each other"
                          : "Mend the route between the hosts";
  fix.steps.push_back(fmt::format("Ports that must be open: {}.", network::to_text(first.flow->flow.ports)));
  if (first.verdict.decider)
    fix.steps.push_back(fmt::format("On {}: {}", first.verdict.decider->host, first.verdict.decider->text));
  return fix;
}

model::Finding finding_of(Purpose purpose, const std::vector<Blocked>& blocked, std::size_t asked,
                          std::span<const network::HostFacts> hosts) {
  const Blocked& first = blocked.front();
  const bool is_silent = first.verdict.decider && first.verdict.decider->is_silent;
  const Meaning meaning = meaning_of(purpose, is_silent);
  model::Finding finding;
  finding.leaf = meaning.leaf;
  finding.code = is_silent ? meaning.silent_code : meaning.refused_code;
  finding.scope = model::Scope::kDistributed;
  finding.confidence = 0.97;
  finding.title =
      fmt::format("{} of {} connections that {} needs are blocked", blocked.size(), asked, meaning.what);
  finding.explanation = fmt::format("From {}: {}", pair_in_words(first, hosts), first.verdict.why);
  if (first.verdict.packet)
    finding.explanation +=
        fmt::format(" A packet that shows it: {}.", network::to_text(*first.verdict.packet));
  for (const Blocked& one : blocked) {
    if (finding.evidence.size() == kMostEvidence) break;
    model::Evidence evidence;
    evidence.file = one.verdict.decider ? one.verdict.decider->host : hosts[one.flow->source].name;
    evidence.level = model::EvidenceLevel::kInferred;
    evidence.text = fmt::format("{}: {}", pair_in_words(one, hosts),
                                one.verdict.decider ? one.verdict.decider->text : one.verdict.why);
    finding.evidence.push_back(std::move(evidence));
  }
  finding.fixes.push_back(fix_for(first));
  return finding;
}

}  // namespace

FlowJudgement judge_flows(const config::Configuration& configuration,
                          std::span<const network::HostFacts> hosts) {
  FlowJudgement judgement;
  if (hosts.size() < 2 || configuration.launches.empty()) return judgement;
  const config::Settings& launch = configuration.launches.front();
  const base::Json* is_multi_host = launch.find("job/is_multi_host");
  if (is_multi_host == nullptr || !is_multi_host->get<bool>()) return judgement;

  FlowPlan plan = plan_flows(launch, hosts);
  judgement.limits = std::move(plan.limits);
  std::vector<network::ReachHost> reach;
  for (const network::HostFacts& host : hosts) reach.push_back(network::reach_host(host));
  std::vector<std::string> cells(hosts.size(), std::string(hosts.size(), kOpen));
  std::map<Purpose, std::vector<Blocked>> blocked;
  std::map<Purpose, std::size_t> asked;
  std::size_t unknown = 0;
  for (const RequiredFlow& flow : plan.flows) {
    ++asked[flow.purpose];
    FlowVerdict verdict = network::judge_flow(reach[flow.source], reach[flow.destination], flow.flow);
    char& cell = cells[flow.source][flow.destination];
    if (verdict.reach == Reach::kBlocked) {
      cell = kBlocked;
      blocked[flow.purpose].push_back({&flow, std::move(verdict)});
    } else if (verdict.reach == Reach::kUnknown) {
      ++unknown;
      if (cell == kOpen) cell = kNotKnown;
    }
  }
  for (const auto& [purpose, flows] : blocked)
    judgement.findings.push_back(finding_of(purpose, flows, asked[purpose], hosts));
  if (!blocked.empty()) judgement.matrix = fold(cells, hosts);
  if (unknown > 0)
    judgement.limits.push_back(
        fmt::format("of {} connections it is not known whether they are open", unknown));
  return judgement;
}

}  // namespace lockstep::preflight
