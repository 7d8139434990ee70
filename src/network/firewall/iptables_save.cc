#include "network/firewall/iptables_save.h"

#include <optional>

#include "base/lines.h"
#include "base/text_fields.h"
#include "network/firewall/iptables_rule.h"

namespace lockstep::network {
namespace {

struct Place {
  Hook hook;
  int priority;
};

// Where the kernel hangs the chains of the tables in.
std::optional<Place> place_of(std::string_view table, std::string_view chain) {
  const int table_priority = table == "raw"        ? -300
                             : table == "mangle"   ? -150
                             : table == "security" ? 50
                             : table == "nat"      ? -100
                                                   : 0;
  const int late_nat = table == "nat" ? 100 : table_priority;
  if (chain == "PREROUTING") return Place{Hook::kPrerouting, table_priority};
  if (chain == "INPUT") return Place{Hook::kInput, late_nat};
  if (chain == "OUTPUT") return Place{Hook::kOutput, table_priority};
  if (chain == "POSTROUTING") return Place{Hook::kPostrouting, late_nat};
  return std::nullopt;
}

class TextReader {
 public:
  TextReader(const hostinfo::IptablesText& text, std::set<std::string>& tables)
      : text_(text), tables_(tables) {}

  std::vector<Program> read() {
    base::Lines lines(text_.text);
    while (const auto line = lines.next()) take(base::trimmed(*line));
    finish();
    return std::move(programs_);
  }

 private:
  void take(std::string_view line) {
    if (line.empty() || line.starts_with('#')) return;
    if (line.starts_with('[')) line = base::trimmed(base::rest_after(line, "]"));  // counters
    if (line.starts_with('*')) {
      finish();
      table_ = line.substr(1);
    } else if (line.starts_with(':')) {
      take_chain(line.substr(1));
    } else if (line.starts_with("-A ")) {
      take_rule(line);
    }
  }

  void take_chain(std::string_view line) {
    const std::string name(base::word_of(line));
    chains_.try_emplace(name);
    const auto place = place_of(table_, name);
    if (!place) return;
    BaseChain base;
    base.chain = name;
    base.family = text_.is_ipv6 ? base::Family::kIpv6 : base::Family::kIpv4;
    base.hook = place->hook;
    base.priority = place->priority;
    base.is_policy_drop = base::word_of(base::rest_after(line, " ")) == "DROP";
    base.policy_origin = origin(name, base.is_policy_drop ? "policy DROP" : "policy ACCEPT");
    bases_.push_back(std::move(base));
  }

  void take_rule(std::string_view line) {
    IptablesRule read = read_iptables_rule(line, text_.is_ipv6);
    if (!read.has_verdict) return;
    read.rule.origin = origin(read.chain, std::string(line));
    chains_[read.chain].rules.push_back(std::move(read.rule));
  }

  RuleOrigin origin(const std::string& chain, std::string text) const {
    return {.firewall = text_.kind == hostinfo::IptablesKind::kLegacy ? "iptables-legacy" : "iptables-nft",
            .table = std::string(table_),
            .chain = chain,
            .handle = {},
            .text = std::move(text)};
  }

  void finish() {
    for (const BaseChain& base : bases_) programs_.push_back(compile(chains_, base));
    if (!table_.empty()) tables_.insert((text_.is_ipv6 ? "ip6 " : "ip ") + std::string(table_));
    chains_.clear();
    bases_.clear();
  }

  const hostinfo::IptablesText& text_;
  std::set<std::string>& tables_;
  std::string_view table_;
  Chains chains_;
  std::vector<BaseChain> bases_;
  std::vector<Program> programs_;
};

}  // namespace

std::vector<Program> iptables_programs(const hostinfo::IptablesText& text, std::set<std::string>& tables) {
  return TextReader(text, tables).read();
}

}  // namespace lockstep::network
