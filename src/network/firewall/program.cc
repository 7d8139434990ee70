#include "network/firewall/program.h"

#include <algorithm>
#include <string_view>

namespace lockstep::network {
namespace {

bool stands_for(std::string_view pattern, std::string_view name) {
  if (pattern.ends_with('+') || pattern.ends_with('*'))
    return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == name;
}

}  // namespace

bool AddressSet::contains(const base::Address& address) const {
  if (is_any) return true;
  const auto behind = std::upper_bound(
      ranges.begin(), ranges.end(), address,
      [](const base::Address& left, const AddressRange& right) { return left < right.first; });
  const bool is_in = behind != ranges.begin() && address <= std::prev(behind)->last;
  return is_in != is_inverted;
}

void AddressSet::add(AddressRange range) {
  is_any = false;
  if (range.first <= range.last) ranges.push_back(range);
}

void AddressSet::seal() {
  std::ranges::sort(ranges, {}, &AddressRange::first);
  std::vector<AddressRange> merged;
  for (const AddressRange& range : ranges) {
    if (!merged.empty() && range.first <= merged.back().last) {
      merged.back().last = std::max(merged.back().last, range.last);
    } else {
      merged.push_back(range);
    }
  }
  ranges = std::move(merged);
}

bool InterfaceSet::contains(std::string_view name) const {
  if (is_any) return true;
  const bool is_in =
      std::ranges::any_of(names, [&](const std::string& pattern) { return stands_for(pattern, name); });
  return is_in != is_inverted;
}

bool Match::fits(const Packet& packet) const {
  if (never || (protocols & packet.protocol) == 0 || (states & packet.state) == 0) return false;
  if (family && *family != packet.source.family) return false;
  if (!source.contains(packet.source) || !destination.contains(packet.destination)) return false;
  if (!incoming.contains(packet.incoming) || !outgoing.contains(packet.outgoing)) return false;
  if (is_source_local.value_or(packet.is_source_local) != packet.is_source_local) return false;
  if (is_destination_local.value_or(packet.is_destination_local) != packet.is_destination_local) return false;
  if (tcp_flags_mask == 0) return true;
  const bool has_flags = packet.protocol == kTcp && (packet.tcp_flags & tcp_flags_mask) == tcp_flags_set;
  return has_flags != are_flags_inverted;
}

bool narrow_ports(Match& match, const PortSet& ports, bool is_source) {
  PortSet& own = is_source ? match.ports.source : match.ports.destination;
  own = own & ports;
  if (own.empty()) match.never = true;
  return !own.empty();
}

namespace {

bool is_passed(Hook hook, bool is_leaving) {
  return (hook == Hook::kOutput || hook == Hook::kPostrouting) == is_leaving;
}

bool may_fit(const Match& match, const KnownPart& known) {
  if (match.never || (match.protocols & known.protocol) == 0 || (match.states & known.state) == 0)
    return false;
  if (match.family && *match.family != known.own.family) return false;
  if (!(known.is_leaving ? match.source : match.destination).contains(known.own)) return false;
  if (match.tcp_flags_mask != 0) {
    const bool has_flags =
        known.protocol == kTcp && (known.tcp_flags & match.tcp_flags_mask) == match.tcp_flags_set;
    if (has_flags == match.are_flags_inverted) return false;
  }
  return match.ports.source.intersects(known.ports.source) &&
         match.ports.destination.intersects(known.ports.destination);
}

// Of what may fit: fits whatever the peer and the interface are.
bool fits_all(const Match& match, const KnownPart& known) {
  return (known.is_leaving ? match.destination : match.source).is_any && match.incoming.is_any &&
         match.outgoing.is_any && !match.is_source_local && !match.is_destination_local &&
         match.not_understood.empty() && (known.ports.source - match.ports.source).empty() &&
         (known.ports.destination - match.ports.destination).empty();
}

Program narrowed(const Program& program, const KnownPart& known) {
  Program made{Attachment(program)};
  made.origins = program.origins;
  std::vector<std::uint32_t> places(program.instructions.size());  // where each is, or the next that stays
  std::size_t furthest_target = 0;
  for (std::size_t at = 0; at < program.instructions.size(); ++at) {
    const Instruction& instruction = program.instructions[at];
    places[at] = static_cast<std::uint32_t>(made.instructions.size());
    if (at + 1 < program.instructions.size() && !may_fit(instruction.match, known)) continue;
    made.instructions.push_back(instruction);
    if (instruction.is_jump) furthest_target = std::max<std::size_t>(furthest_target, instruction.target);
    const bool ends_here =
        !instruction.is_jump && furthest_target <= at && fits_all(instruction.match, known);
    if (ends_here) break;
  }
  for (Instruction& instruction : made.instructions)
    if (instruction.is_jump) instruction.target = places[instruction.target];
  return made;
}

}  // namespace

Firewall narrowed(const Firewall& firewall, const KnownPart& known) {
  Firewall made;
  made.is_known = firewall.is_known;
  for (const Program& program : firewall.programs)
    if (is_passed(program.hook, known.is_leaving) && program.applies_to(known.own.family))
      made.programs.push_back(narrowed(program, known));
  return made;
}

namespace {

// Instructions. A chain is unfolded wherever it is called. Real rule sets share few chains; what a few lines
// can unfold into stays in proportion to them. Firewall.ChainsThatUnfoldWithoutMeasureEndAsUnknown holds that
// they are not larger.
constexpr std::size_t kAlwaysAllowed = 4096;
constexpr std::size_t kMaxForOneRule = 64;
// Jumps inside each other, as the kernel allows.
constexpr std::size_t kMaxChainDepth = 16;

std::size_t most_instructions(const Chains& chains) {
  std::size_t rules = 0;
  for (const auto& [name, chain] : chains) rules += chain.rules.size();
  return kAlwaysAllowed + kMaxForOneRule * rules;
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
    return calls_.size() <= kMaxChainDepth && program_.instructions.size() <= most_instructions_ &&
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
