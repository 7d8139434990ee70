#include "check/probe/judge.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "check/flows/required_flows.h"
#include "model/finding_code.h"

namespace lockstep::probe {
namespace {

using network::Reach;

// Connections that a finding shows; the rest are counted.
constexpr std::size_t kMaxEvidence = 8;
// Confidences, from 0 to 1: packets met the fault; packets pass where a rule was read as blocking, which
// keeps no job from working; packets pass where a finding says that they cannot, so that it falls below every
// other. Held by Judge.PacketsDecideHowSureAFindingIs.
constexpr double kSeen = 0.97;
constexpr double kWarning = 0.6;
constexpr double kContradicted = 0.3;

// What a trial says that nobody knew before.
enum class Surprise { kNone, kBlocked, kOpen, kLargeLost, kWrongHost, kUnforeseen };

Surprise surprise_of(const TrialPlan& plan, const Trial& trial) {
  const End end = trial.outcome.end;
  if (end == End::kNotTried) return Surprise::kNone;
  if (is_large_lost(end)) return Surprise::kLargeLost;
  const Reach expected = plan.expected(trial);
  if (is_open(end)) return expected == Reach::kBlocked ? Surprise::kOpen : Surprise::kNone;
  if (end == End::kWrongHost && expected != Reach::kBlocked) return Surprise::kWrongHost;
  if (expected == Reach::kOpen) return Surprise::kBlocked;
  return expected == Reach::kUnknown ? Surprise::kUnforeseen : Surprise::kNone;
}

struct Wording {
  std::string_view code;  // empty: the stack's own
  model::Leaf leaf;
  double confidence;
  std::string_view title;  // of how many, of how many, and whose
  std::string_view meaning;
  std::string_view fix;
  std::string_view step;
  std::string_view command = {};  // for each host
};

Wording wording_for(Surprise surprise) {
  switch (surprise) {
    case Surprise::kOpen:
      return {model::codes::kProbeOpen,
              model::Leaf::kSetupFail,
              kWarning,
              "{} of {} connections that {} needs are made, though a rule or route blocks them",
              "The facts are older than the rules, or the rule that decides was not understood.",
              "Collect the facts again",
              "Take new facts of the hosts, or leave --facts out: then the agents take them."};
    case Surprise::kLargeLost:
      return {model::codes::kPathMtu,
              model::Leaf::kPerfHang,
              kSeen,
              "{} of {} connections that {} needs lose large packets",
              "The connection is made and small messages pass; the first large one is lost without a word: a "
              "link between the hosts takes less than their MTU, and the message that says so is dropped.",
              "Make the MTU fit the way between the hosts",
              "Set the hosts' MTU to what every link takes, let ICMP 'fragmentation needed' pass, or let TCP "
              "find out by itself on each host.",
              "sysctl -w net.ipv4.tcp_mtu_probing=1"};
    case Surprise::kWrongHost:
      return {model::codes::kProbeWrongHost,
              model::Leaf::kSetupFail,
              kSeen,
              "{} of {} connections that {} needs end at another host",
              "Another host's agent answers at that address: the address is there twice, is translated, or "
              "leads a host to itself.",
              "Give every host an address of its own",
              "Choose the interface whose address belongs to one host alone."};
    default:
      return {
          model::codes::kProbeBlocked,
          model::Leaf::kSetupFail,
          kSeen,
          "{} of {} connections that {} needs are not made, though no host blocks them",
          "Routes and firewalls of both hosts let them pass: something between the hosts does not (a "
          "switch, a security group, a network policy), or a host's rules changed since.",
          "Open the way between the hosts",
          "Ask who runs the network for what stands between them: security groups, access lists, policies."};
  }
}

std::string place(const TrialPlan& plan, const Trial& trial, std::span<const hostinfo::HostFacts> hosts) {
  const Listener& listener = plan.listeners[trial.listener];
  const std::string address = base::to_text(trial.address);
  return fmt::format("{} to {} ({} port {})", hosts[trial.source].name, hosts[trial.destination].name,
                     address, listener.port);
}

std::string in_words(const TrialPlan& plan, const Trial& trial, std::span<const hostinfo::HostFacts> hosts) {
  std::string said = fmt::format("{}: {}", place(plan, trial, hosts), in_words(trial.outcome.end));
  if (trial.outcome.end == End::kWrongHost && trial.outcome.answered_by < hosts.size())
    said += fmt::format(", {}", hosts[trial.outcome.answered_by].name);
  return said + (trial.outcome.attempts > 1 ? ", twice" : "");
}

// The trials of one stack.
struct Stack {
  flows::FlowKind kind{};
  std::size_t tried = 0;
  std::size_t confirmed = 0;  // expected to be blocked, and are
  std::map<Surprise, std::vector<const Trial*>> surprises = {};
};

model::Finding finding_of(Surprise surprise, const Stack& stack, const TrialPlan& plan,
                          std::span<const hostinfo::HostFacts> hosts) {
  const auto& trials = stack.surprises.at(surprise);
  const Trial& first = *trials.front();
  const flows::FlowMeaning& meaning = flows::meaning_of(stack.kind);
  const Wording words = wording_for(surprise);
  model::Finding finding;
  finding.leaf = words.leaf;
  finding.code = words.code;
  finding.confidence = words.confidence;
  finding.explanation = std::string(words.meaning);
  if (surprise == Surprise::kUnforeseen) {
    const bool waits = is_silent(first.outcome.end);
    finding.leaf = waits ? meaning.silent_leaf : model::Leaf::kSetupFail;
    finding.code = waits ? meaning.silent_code : meaning.refused_code;
    finding.explanation = fmt::format("{}, so only the packets tell.", first.why);
    finding.title = fmt::format("{} of {} connections that {} needs are not made", trials.size(), stack.tried,
                                meaning.what);
  } else {
    finding.title = fmt::format(fmt::runtime(words.title), trials.size(), stack.tried, meaning.what);
  }
  finding.scope = model::Scope::kDistributed;
  finding.explanation += fmt::format(" For example {}; {}.", in_words(plan, first, hosts), meaning.does);
  if (surprise == Surprise::kOpen) finding.explanation += fmt::format(" What was expected: {}.", first.why);
  for (std::size_t at = 0; at < std::min(trials.size(), kMaxEvidence); ++at) {
    model::Evidence evidence;
    evidence.file = hosts[trials[at]->source].name;
    evidence.level = model::EvidenceLevel::kSeen;
    evidence.text = in_words(plan, *trials[at], hosts);
    finding.evidence.push_back(std::move(evidence));
  }
  model::Fix fix;
  fix.pattern = model::FixPattern::kNetworkSetting;
  fix.title = std::string(words.fix);
  fix.steps.emplace_back(words.step);
  if (!words.command.empty()) fix.commands.emplace_back(words.command);
  finding.fixes.push_back(std::move(fix));
  return finding;
}

// One connection can serve several stacks.
std::map<std::string_view, Stack> stacks_of(const TrialPlan& plan) {
  std::map<std::string_view, Stack> stacks;
  for (const Trial& trial : plan.trials) {
    if (trial.outcome.end == End::kNotTried) continue;
    const Surprise surprise = surprise_of(plan, trial);
    std::string_view counted;
    for (const flows::FlowKind kind : trial.kinds) {
      const std::string_view what = flows::meaning_of(kind).what;
      if (what == counted) continue;
      counted = what;
      Stack& stack = stacks.try_emplace(what, Stack{.kind = kind}).first->second;
      ++stack.tried;
      if (surprise != Surprise::kNone) stack.surprises[surprise].push_back(&trial);
      const bool is_confirmed = surprise == Surprise::kNone && plan.expected(trial) == Reach::kBlocked &&
                                !is_open(trial.outcome.end);
      stack.confirmed += is_confirmed ? 1 : 0;
    }
  }
  return stacks;
}

// Of findings that rest on rules and routes. What packets contradict is no more than a guess.
void compare(const std::map<std::string_view, Stack>& stacks, flows::FlowJudgement& judgement) {
  for (std::size_t at = 0; at < judgement.stacks.size(); ++at) {
    const auto stack = stacks.find(judgement.stacks[at]);
    if (stack == stacks.end()) continue;
    model::Finding& finding = judgement.findings[at];
    const auto open = stack->second.surprises.find(Surprise::kOpen);
    const std::size_t contradicted = open == stack->second.surprises.end() ? 0 : open->second.size();
    const std::size_t confirmed = stack->second.confirmed;
    if (confirmed + contradicted == 0) continue;
    finding.explanation += fmt::format(" Real packets: {} of {} such connections are blocked indeed.",
                                       confirmed, confirmed + contradicted);
    if (confirmed == 0) finding.confidence = std::min(finding.confidence, kContradicted);
  }
}

void add_limits(const Probing& probing, std::vector<std::string>& limits) {
  limits.insert(limits.end(), probing.limits.begin(), probing.limits.end());
  const TrialPlan& plan = probing.plan;
  const std::size_t not_tried = tally(plan).not_tried;
  if (plan.left_out > 0)
    limits.push_back(
        fmt::format("of {} connections {} were probed, one of each kind: there are more than {} hosts",
                    plan.left_out + plan.trials.size(), plan.trials.size(), kMaxHostsForAllPairs));
  if (plan.not_tcp > 0)
    limits.push_back(fmt::format("{} connections over RDMA were not probed", plan.not_tcp));
  if (not_tried > 0)
    limits.push_back(
        fmt::format("{} connections could not be probed: the agent cannot listen there", not_tried));
}

}  // namespace

Tally tally(const TrialPlan& plan) {
  Tally made;
  for (const Trial& trial : plan.trials) {
    const End end = trial.outcome.end;
    if (end == End::kNotTried) {
      ++made.not_tried;
      continue;
    }
    ++made.tried;
    made.open += is_open(end) ? 1 : 0;
    const Reach expected = plan.expected(trial);
    if (expected == Reach::kUnknown) {
      ++made.without_prediction;
    } else {
      ++(is_open(end) == (expected == Reach::kOpen) ? made.as_predicted : made.contradicting);
    }
  }
  return made;
}

void judge(const Probing& probing, std::span<const hostinfo::HostFacts> hosts,
           flows::FlowJudgement& judgement) {
  const auto stacks = stacks_of(probing.plan);
  compare(stacks, judgement);
  constexpr std::array kOrder = {Surprise::kUnforeseen, Surprise::kBlocked, Surprise::kLargeLost,
                                 Surprise::kWrongHost, Surprise::kOpen};
  for (const Surprise surprise : kOrder)
    for (const auto& [what, stack] : stacks)
      if (stack.surprises.contains(surprise))
        judgement.findings.push_back(finding_of(surprise, stack, probing.plan, hosts));
  std::ranges::stable_sort(judgement.findings, std::ranges::greater{}, &model::Finding::confidence);
  judgement.stacks.clear();  // they told whose the findings were before
  add_limits(probing, judgement.limits);
}

}  // namespace lockstep::probe
