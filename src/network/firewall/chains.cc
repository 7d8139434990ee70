#include "network/firewall/chains.h"

#include <algorithm>
#include <string_view>

namespace lockstep::network {
namespace {

// A chain is unfolded wherever it is called. Real rule sets share few chains; what a few lines can unfold
// into stays in proportion to them.
constexpr std::size_t kAlwaysAllowed = 4096;
constexpr std::size_t kMostForOneRule = 64;
constexpr std::size_t kDeepest = 16;  // as the kernel allows

std::size_t most_instructions(const Chains& chains) {
  std::size_t rules = 0;
  for (const auto& [name, chain] : chains) rules += chain.rules.size();
  return kAlwaysAllowed + kMostForOneRule * rules;
}

class Compiler {
 public:
  Compiler(const Chains& chains, Program& program)
      : chains_(chains), program_(program), most_instructions_(most_instructions(chains)) {}

  void compile_base(const BaseChain& base) {
    const std::size_t policy = new_label();
    emit_chain(base.chain, policy);
    place(policy);
    Instruction last;
    last.decision = base.is_policy_drop ? Decision::kDrop : Decision::kAccept;
    last.origin = add_origin(base.policy_origin);
    program_.instructions.push_back(std::move(last));
    for (const auto& [at, label] : patches_)
      program_.instructions[at].target = static_cast<std::uint32_t>(labels_[label]);
  }

 private:
  std::size_t new_label() {
    labels_.push_back(0);
    return labels_.size() - 1;
  }
  void place(std::size_t label) { labels_[label] = program_.instructions.size(); }
  std::uint32_t add_origin(const RuleOrigin& origin) {
    program_.origins->push_back(origin);
    return static_cast<std::uint32_t>(program_.origins->size() - 1);
  }
  void go(Match match, std::size_t label, std::uint32_t origin) {
    Instruction made;
    made.match = std::move(match);
    made.is_jump = true;
    made.origin = origin;
    patches_.emplace_back(program_.instructions.size(), label);
    program_.instructions.push_back(std::move(made));
  }
  void decide(const Match& match, Decision decision, std::uint32_t origin) {
    Instruction made;
    made.match = match;
    made.decision = decision;
    made.origin = origin;
    program_.instructions.push_back(std::move(made));
  }

  void emit_chain(const std::string& name, std::size_t back) {
    const auto chain = chains_.find(name);
    if (chain == chains_.end()) return;
    calls_.push_back(name);
    for (const ChainRule& rule : chain->second.rules) emit_rule(rule, back);
    calls_.pop_back();
  }

  bool can_unfold(const std::string& chain) const {
    return calls_.size() <= kDeepest && program_.instructions.size() <= most_instructions_ &&
           chains_.contains(chain) && std::ranges::find(calls_, chain) == calls_.end();
  }

  void emit_rule(const ChainRule& rule, std::size_t back) {
    const std::uint32_t origin = add_origin(rule.origin);
    const bool is_call = rule.verdict == Verdict::kJump || rule.verdict == Verdict::kGoto;
    if (is_call && !can_unfold(rule.target)) {
      for (const Match& match : rule.alternatives) decide(match, Decision::kUnknown, origin);
    } else if (is_call) {
      emit_call(rule, origin, back);
    } else if (rule.verdict == Verdict::kReturn) {
      for (const Match& match : rule.alternatives) go(match, back, origin);
    } else {
      for (const Match& match : rule.alternatives) decide(match, decision_of(rule.verdict), origin);
    }
  }

  void emit_call(const ChainRule& rule, std::uint32_t origin, std::size_t back) {
    const std::size_t body = new_label();
    const std::size_t after = new_label();
    for (const Match& match : rule.alternatives) go(match, body, origin);
    go(Match{}, after, origin);
    place(body);
    if (rule.verdict == Verdict::kJump) {
      emit_chain(rule.target, after);
    } else {
      emit_chain(rule.target, back);
      go(Match{}, back, origin);
    }
    place(after);
  }

  static Decision decision_of(Verdict verdict) {
    switch (verdict) {
      case Verdict::kAccept:
        return Decision::kAccept;
      case Verdict::kDrop:
        return Decision::kDrop;
      case Verdict::kReject:
        return Decision::kReject;
      default:
        return Decision::kUnknown;
    }
  }

  const Chains& chains_;
  Program& program_;
  std::size_t most_instructions_;
  std::vector<std::string_view> calls_;  // the chains that are being unfolded
  std::vector<std::size_t> labels_;
  std::vector<std::pair<std::size_t, std::size_t>> patches_;  // instruction, label
};

}  // namespace

Program compile(const Chains& chains, const BaseChain& base) {
  Program program{Attachment(base)};
  Compiler(chains, program).compile_base(base);
  return program;
}

}  // namespace lockstep::network
