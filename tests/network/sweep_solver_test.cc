// Two obvious twins of the sweep on generated chains: first match of every single port, and Z3 asked whether
// any packet of a whole set gets a decision.
#include <rapidcheck.h>

#include <gtest/gtest.h>
#include <z3++.h>

#include "network/firewall/chains.h"
#include "network/firewall/sweep.h"

namespace lockstep::network {
namespace {

constexpr std::uint32_t kNet = 0x0a000000;  // 10.0.0.0; sources are 10.0.0.0 to 10.0.0.15

struct Rule {
  std::uint32_t source_first = 0;
  std::uint32_t source_last = 15;
  std::uint16_t port_first = 0;
  std::uint16_t port_last = 40;
  std::uint16_t from_first = 0;
  std::uint16_t from_last = 40;
  int verdict = 0;  // accept, drop, jump, return
  int target = 0;   // a later chain
};
using Rules = std::vector<std::vector<Rule>>;  // chain 0 is the base chain

rc::Gen<Rule> rule_in(int chain, int chains) {
  return rc::gen::exec([=] {
    const auto pair = [](int end) {
      int first = *rc::gen::inRange(0, end);
      int last = *rc::gen::inRange(0, end);
      if (first > last) std::swap(first, last);
      return std::pair(first, last);
    };
    Rule rule;
    const auto [source_first, source_last] = pair(16);
    rule.source_first = static_cast<std::uint32_t>(source_first);
    rule.source_last = static_cast<std::uint32_t>(source_last);
    const auto [port_first, port_last] = pair(41);
    rule.port_first = static_cast<std::uint16_t>(port_first);
    rule.port_last = static_cast<std::uint16_t>(port_last);
    if (*rc::gen::inRange(0, 4) == 0) {
      const auto [from_first, from_last] = pair(41);
      rule.from_first = static_cast<std::uint16_t>(from_first);
      rule.from_last = static_cast<std::uint16_t>(from_last);
    }
    rule.verdict = *rc::gen::inRange(0, 4);
    if (rule.verdict == 2 && chain + 1 >= chains) rule.verdict = 1;
    rule.target = chain + 1 < chains ? *rc::gen::inRange(chain + 1, chains) : 0;
    return rule;
  });
}

Rules any_rules() {
  const int chains = *rc::gen::inRange(1, 4);
  Rules rules;
  for (int chain = 0; chain < chains; ++chain) {
    const auto size = *rc::gen::inRange<std::size_t>(0, 6);
    rules.push_back(*rc::gen::container<std::vector<Rule>>(size, rule_in(chain, chains)));
  }
  return rules;
}

Program compiled(const Rules& rules, bool drops) {
  Chains chains;
  for (std::size_t at = 0; at < rules.size(); ++at) {
    Chain& chain = chains["c" + std::to_string(at)];
    for (const Rule& rule : rules[at]) {
      ChainRule made;
      Match match;
      match.source.add({base::ipv4(kNet + rule.source_first), base::ipv4(kNet + rule.source_last)});
      match.source.seal();
      match.ports = {PortSet{{rule.from_first, rule.from_last}}, PortSet{{rule.port_first, rule.port_last}}};
      made.alternatives = {match};
      constexpr Verdict kVerdicts[] = {Verdict::kAccept, Verdict::kDrop, Verdict::kJump, Verdict::kReturn};
      made.verdict = kVerdicts[rule.verdict];
      made.target = "c" + std::to_string(rule.target);
      chain.rules.push_back(std::move(made));
    }
  }
  BaseChain base;
  base.chain = "c0";
  base.is_policy_drop = drops;
  return compile(chains, base);
}

enum class End { kAccept, kDrop, kReturn };

End first_match(const Rules& rules, std::size_t chain, std::uint32_t source, int from, int port) {
  for (const Rule& rule : rules[chain]) {
    const bool matches = rule.source_first <= source && source <= rule.source_last &&
                         rule.port_first <= port && port <= rule.port_last && rule.from_first <= from &&
                         from <= rule.from_last;
    if (!matches) continue;
    if (rule.verdict == 0) return End::kAccept;
    if (rule.verdict == 1) return End::kDrop;
    if (rule.verdict == 3) return End::kReturn;
    const End inner = first_match(rules, static_cast<std::size_t>(rule.target), source, from, port);
    if (inner != End::kReturn) return inner;
  }
  return End::kReturn;
}

Packet packet_from(std::uint32_t source) {
  Packet packet;
  packet.source = base::ipv4(kNet + source);
  packet.destination = base::ipv4(kNet + 100);
  return packet;
}

TEST(SweepAndFirstMatch, AgreeOnEveryPort) {
  EXPECT_TRUE(rc::check("each port gets the decision of its first match", [] {
    const Rules rules = any_rules();
    const bool drops = *rc::gen::arbitrary<bool>();
    const auto source = *rc::gen::inRange<std::uint32_t>(0, 16);
    const auto parts =
        sweep(compiled(rules, drops), packet_from(source), PortPairs(PortSet{{0, 40}}, PortSet{{0, 40}}));
    for (std::uint16_t from = 0; from <= 40; from += 5) {
      for (std::uint16_t port = 0; port <= 40; ++port) {
        const End end = first_match(rules, 0, source, from, port);
        const bool is_dropped = end == End::kDrop || (end == End::kReturn && drops);
        int seen = 0;
        for (const Decided& part : parts) {
          if (!part.ports.contains({from, port})) continue;
          ++seen;
          RC_ASSERT((part.decision == Decision::kDrop) == is_dropped);
        }
        RC_ASSERT(seen == 1);
      }
    }
  }));
}

// The rules as a formula over a packet: (decided and accepted, decided and dropped).
struct Decisions {
  z3::expr accepted;
  z3::expr dropped;
};

Decisions formula(z3::context& context, const Rules& rules, std::size_t chain, const z3::expr& source,
                  const z3::expr& from, const z3::expr& port) {
  z3::expr undecided = context.bool_val(true);
  Decisions made{context.bool_val(false), context.bool_val(false)};
  const auto within = [&](const z3::expr& value, unsigned first, unsigned last, unsigned bits) {
    return z3::uge(value, context.bv_val(first, bits)) && z3::ule(value, context.bv_val(last, bits));
  };
  for (const Rule& rule : rules[chain]) {
    const z3::expr matches = undecided && within(source, rule.source_first, rule.source_last, 32) &&
                             within(port, rule.port_first, rule.port_last, 16) &&
                             within(from, rule.from_first, rule.from_last, 16);
    if (rule.verdict == 0) made.accepted = made.accepted || matches;
    if (rule.verdict == 1) made.dropped = made.dropped || matches;
    if (rule.verdict == 2) {
      const Decisions inner =
          formula(context, rules, static_cast<std::size_t>(rule.target), source, from, port);
      made.accepted = made.accepted || (matches && inner.accepted);
      made.dropped = made.dropped || (matches && inner.dropped);
      undecided = undecided && !(matches && (inner.accepted || inner.dropped));
    } else {
      undecided = undecided && !matches;
    }
  }
  return made;
}

TEST(SweepAndSolver, AgreeOnWhetherAnyPacketIsDropped) {
  EXPECT_TRUE(rc::check("a packet of the set is dropped when the solver finds one", [] {
    const Rules rules = any_rules();
    const bool drops = *rc::gen::arbitrary<bool>();
    const auto source_number = *rc::gen::inRange<std::uint32_t>(0, 16);
    const auto first = *rc::gen::inRange<std::uint16_t>(0, 30);
    const auto last = *rc::gen::inRange<std::uint16_t>(first, 41);
    const PortSet from_ports{{0, 40}};
    const PortSet ports{{first, last}};
    std::optional<PortPairs::Pair> dropped;
    for (const Decided& part :
         sweep(compiled(rules, drops), packet_from(source_number), PortPairs(from_ports, ports)))
      if (part.decision == Decision::kDrop) dropped = part.ports.any();

    z3::context context;
    const z3::expr source = context.bv_const("source", 32);
    const z3::expr from = context.bv_const("from", 16);
    const z3::expr port = context.bv_const("port", 16);
    const Decisions decisions = formula(context, rules, 0, source, from, port);
    const z3::expr is_dropped = drops ? !decisions.accepted : decisions.dropped;
    z3::solver solver(context);
    solver.add(source == context.bv_val(source_number, 32) && z3::ule(from, context.bv_val(40, 16)) &&
               z3::uge(port, context.bv_val(first, 16)) && z3::ule(port, context.bv_val(last, 16)) &&
               is_dropped);
    RC_ASSERT((solver.check() == z3::sat) == dropped.has_value());
    if (dropped) {
      solver.add(from == context.bv_val(dropped->source, 16) &&
                 port == context.bv_val(dropped->destination, 16));
      RC_ASSERT(solver.check() == z3::sat);
    }
  }));
}

}  // namespace
}  // namespace lockstep::network
