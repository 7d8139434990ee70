#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>

#include "base/lines.h"
#include "base/text_fields.h"
#include "network/firewall/program.h"
#include "network/firewall/rule_sets.h"

namespace lockstep::network {
namespace {

// One line of iptables-save.
struct IptablesRule {
  std::string chain;
  ChainRule rule;
  bool has_verdict = false;  // false: it only counts or marks
};

// Words as the shell would see them: "quoted words" are one.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool is_quoted = false;
  bool has_word = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char letter = line[at];
    if (letter == '\\' && at + 1 < line.size() && is_quoted) {
      word += line[++at];
    } else if (letter == '"') {
      is_quoted = !is_quoted;
      has_word = true;
    } else if (letter == ' ' && !is_quoted) {
      if (has_word || !word.empty()) words.push_back(std::move(word));
      word.clear();
      has_word = false;
    } else {
      word += letter;
    }
  }
  if (has_word || !word.empty()) words.push_back(std::move(word));
  return words;
}

std::vector<std::string_view> items_of(std::string_view list) {
  std::vector<std::string_view> items;
  while (!list.empty()) {
    const std::string_view item = base::word_of(list, ',');
    items.push_back(item);
    list.remove_prefix(std::min(list.size(), item.size() + 1));
  }
  return items;
}

std::optional<PortSet> ports_in(std::string_view list) {
  PortSet ports;
  for (const std::string_view item : items_of(list)) {
    const std::size_t colon = item.find(':');
    const auto first =
        colon == 0 ? std::optional<std::uint16_t>(0) : base::number_in<std::uint16_t>(item.substr(0, colon));
    const auto last = colon == std::string_view::npos ? first
                      : colon + 1 == item.size()      ? std::optional<std::uint16_t>(65535)
                                                 : base::number_in<std::uint16_t>(item.substr(colon + 1));
    if (!first || !last) return std::nullopt;
    ports.add({*first, *last});
  }
  return ports;
}

// "10.0.0.0/8", "10.0.0.0/255.0.0.0", "10.0.0.1-10.0.0.9"
std::optional<AddressRange> addresses_in(std::string_view text) {
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    const auto first = base::parse_address(text.substr(0, dash));
    const auto last = base::parse_address(text.substr(dash + 1));
    return first && last ? std::optional(AddressRange{*first, *last}) : std::nullopt;
  }
  const auto prefix = base::parse_prefix(text);
  return prefix ? std::optional(AddressRange{prefix->first(), prefix->last()}) : std::nullopt;
}

std::optional<std::uint8_t> flags_in(std::string_view list) {
  constexpr std::string_view kFlags[] = {"FIN", "SYN", "RST", "PSH", "ACK", "URG"};
  if (list == "NONE") return std::uint8_t{0};
  if (list == "ALL") return std::uint8_t{0x3f};
  std::uint8_t mask = 0;
  for (const std::string_view item : items_of(list)) {
    const auto at = std::ranges::find(kFlags, item);
    if (at == std::end(kFlags)) return std::nullopt;
    mask |= static_cast<std::uint8_t>(1U << (at - std::begin(kFlags)));
  }
  return mask;
}

class LineReader {
 public:
  LineReader(std::vector<std::string> words, bool is_ipv6) : words_(std::move(words)) {
    match_.family = is_ipv6 ? base::Family::kIpv6 : base::Family::kIpv4;
  }

  IptablesRule read() {
    while (at_ < words_.size()) {
      is_inverted_ = words_[at_] == "!";
      if (is_inverted_) ++at_;
      if (at_ >= words_.size()) break;
      const std::string option = words_[at_++];
      if (!take(option)) doubt(option);
    }
    made_.rule.alternatives = {std::move(match_)};
    return std::move(made_);
  }

 private:
  std::string argument() { return at_ < words_.size() ? words_[at_++] : std::string(); }

  void doubt(const std::string& option) {
    if (match_.not_understood.empty()) match_.not_understood = option;
    // Its arguments, up to the next option.
    while (at_ < words_.size() && !words_[at_].starts_with('-') && words_[at_] != "!") ++at_;
  }

  bool take(const std::string& option) {
    if (option == "-A") return (made_.chain = argument(), true);
    if (option == "-m") return (argument(), true);
    if (option == "-j" || option == "-g") return take_target(argument(), option == "-g");
    if (option == "-s" || option == "--src-range") return take_addresses(match_.source);
    if (option == "-d" || option == "--dst-range") return take_addresses(match_.destination);
    if (option == "-i") return take_interface(match_.incoming);
    if (option == "-o") return take_interface(match_.outgoing);
    if (option == "-p") return take_protocol();
    if (option == "--dport" || option == "--dports") return take_ports(false);
    if (option == "--sport" || option == "--sports") return take_ports(true);
    if (option == "--ctstate" || option == "--state") return take_states();
    if (option == "--tcp-flags" || option == "--syn") return take_flags(option == "--syn");
    if (option == "--dst-type" || option == "--src-type") return take_type(option == "--dst-type");
    if (option == "--comment") return (argument(), true);
    if (option == "--reject-with") return (argument(), true);
    if (option == "--icmp-type" || option == "--icmpv6-type")
      return (argument(), match_.protocols &= kIcmp, true);
    return is_of_a_log(option);
  }

  bool is_of_a_log(const std::string& option) {
    constexpr std::string_view kSilent[] = {"--log-prefix",     "--log-level", "--nflog-prefix",
                                            "--nflog-group",    "--set-mark",  "--set-xmark",
                                            "--nflog-threshold"};
    if (std::ranges::find(kSilent, option) == std::end(kSilent))
      return made_.rule.verdict == Verdict::kUnknown;
    argument();
    return true;
  }

  bool take_target(const std::string& name, bool is_goto) {
    constexpr std::string_view kMarks[] = {"LOG",      "NFLOG", "MARK",     "CONNMARK", "TCPMSS",
                                           "CLASSIFY", "DSCP",  "CHECKSUM", "SET",      "TRACE",
                                           "ULOG",     "AUDIT", "CT"};
    constexpr std::string_view kBeyondUs[] = {"DNAT",    "SNAT",  "MASQUERADE", "REDIRECT",
                                              "NFQUEUE", "QUEUE", "TPROXY",     "NOTRACK",
                                              "NETMAP",  "TEE",   "SYNPROXY"};
    ChainRule& rule = made_.rule;
    if (std::ranges::find(kMarks, name) != std::end(kMarks)) {
      at_ = words_.size();  // what follows is the target's own
      return true;
    }
    made_.has_verdict = true;
    rule.target = name;
    if (name == "ACCEPT") return (rule.verdict = Verdict::kAccept, true);
    if (name == "DROP") return (rule.verdict = Verdict::kDrop, true);
    if (name == "REJECT") return (rule.verdict = Verdict::kReject, true);
    if (name == "RETURN") return (rule.verdict = Verdict::kReturn, true);
    if (std::ranges::find(kBeyondUs, name) != std::end(kBeyondUs)) {
      at_ = words_.size();
      return (rule.verdict = Verdict::kUnknown, true);
    }
    return (rule.verdict = is_goto ? Verdict::kGoto : Verdict::kJump, true);
  }

  bool take_addresses(AddressSet& set) {
    const auto range = addresses_in(argument());
    if (!range || !set.is_any) return false;
    set.add(*range);
    set.seal();
    set.is_inverted = is_inverted_;
    return true;
  }

  bool take_interface(InterfaceSet& set) {
    set = {.names = {argument()}, .is_any = false, .is_inverted = is_inverted_};
    return true;
  }

  bool take_protocol() {
    const std::string name = argument();
    const std::uint8_t mask = name == "tcp" || name == "6"    ? kTcp
                              : name == "udp" || name == "17" ? kUdp
                              : name == "all" || name == "0"  ? kAnyProtocol
                              : name.find("icmp") != name.npos || name == "1" || name == "58"
                                  ? kIcmp
                                  : kOtherProtocol;
    match_.protocols &= is_inverted_ ? static_cast<std::uint8_t>(~mask & kAnyProtocol) : mask;
    return true;
  }

  bool take_ports(bool is_source) {
    const auto ports = ports_in(argument());
    if (!ports) return false;
    narrow_ports(match_, is_inverted_ ? ports->complement() : *ports, is_source);
    return true;
  }

  bool take_states() {
    std::uint8_t mask = 0;
    for (const std::string& list = argument(); const std::string_view name : items_of(list))
      mask |= name == "NEW" ? kNew : name == "ESTABLISHED" ? kEstablished : kOtherState;
    match_.states &= is_inverted_ ? static_cast<std::uint8_t>(~mask & kAnyState) : mask;
    return true;
  }

  bool take_flags(bool is_syn) {
    const auto mask = is_syn ? std::optional<std::uint8_t>(0x17) : flags_in(argument());
    const auto set = is_syn ? std::optional<std::uint8_t>(0x02) : flags_in(argument());
    if (!mask || !set || match_.tcp_flags_mask != 0) return false;
    match_.tcp_flags_mask = *mask;
    match_.tcp_flags_set = *set;
    match_.are_flags_inverted = is_inverted_;
    return true;
  }

  bool take_type(bool is_destination) {
    if (argument() != "LOCAL") return false;
    (is_destination ? match_.is_destination_local : match_.is_source_local) = !is_inverted_;
    return true;
  }

  std::vector<std::string> words_;
  std::size_t at_ = 0;
  bool is_inverted_ = false;
  Match match_;
  IptablesRule made_;
};

// "-A INPUT -s 10.0.0.0/8 -p tcp -m tcp --dport 22 -j ACCEPT". A target that is no verdict is a chain.
IptablesRule read_iptables_rule(std::string_view line, bool is_ipv6) {
  IptablesRule made = LineReader(words_of(line), is_ipv6).read();
  made.rule.origin.chain = made.chain;
  made.rule.origin.text = line;
  return made;
}

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
