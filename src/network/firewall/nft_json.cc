#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text_fields.h"
#include "network/firewall/program.h"
#include "network/firewall/rule_sets.h"

namespace lockstep::network {
namespace {

using base::Json;

// nft's JSON in nft's own words, so that a person finds the rule in `nft list ruleset`.
// Of a rule's list of statements, or of one statement.
std::string nft_text(const Json& json);

std::string joined(const Json& list, std::string_view between) {
  std::string text;
  for (const Json& item : list) text += (text.empty() ? "" : std::string(between)) + nft_text(item);
  return text;
}

std::string words_at(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) ? nft_text(object[key]) : std::string();
}

std::string match_text(const Json& match) {
  std::string op = words_at(match, "op");
  op = op == "==" || op == "in" ? " " : fmt::format(" {} ", op);
  return words_at(match, "left") + op + words_at(match, "right");
}

std::string named_text(const std::string& name, const Json& value) {
  if (name == "match") return match_text(value);
  if (name == "payload") return words_at(value, "protocol") + " " + words_at(value, "field");
  if (name == "meta") return "meta " + words_at(value, "key");
  if (name == "ct") return "ct " + words_at(value, "key");
  if (name == "fib") return fmt::format("fib {} {}", words_at(value, "flags"), words_at(value, "result"));
  if (name == "prefix") return words_at(value, "addr") + "/" + words_at(value, "len");
  if (name == "range" && value.is_array()) return joined(value, "-");
  if (name == "set" && value.is_array()) return "{ " + joined(value, ", ") + " }";
  if (name == "concat" && value.is_array()) return joined(value, " . ");
  if (name == "&" && value.is_array()) return joined(value, " & ");
  if (name == "|" && value.is_array()) return joined(value, " | ");
  if (name == "elem") return words_at(value, "val");
  if (name == "jump" || name == "goto") return name + " " + words_at(value, "target");
  if (name == "vmap") return words_at(value, "key") + " vmap " + words_at(value, "data");
  if (name == "xt") return "xt " + words_at(value, "name");
  if (name == "counter" || value.is_null()) return name;
  return name + " " + nft_text(value);
}

std::string nft_text(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) {
    const bool is_statements = !json.empty() && json.front().is_object();
    return joined(json, is_statements ? " " : ",");
  }
  if (json.is_object() && json.size() == 1) return named_text(json.begin().key(), json.begin().value());
  return base::to_text(json, base::JsonLayout::kOneLine);
}

std::string text_at(const Json& object, const char* key) {
  if (!object.contains(key)) return {};
  const Json& value = object[key];
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_integer() ? std::to_string(value.get<std::int64_t>()) : std::string();
}

struct Table {
  Chains chains;
  std::vector<BaseChain> bases;
  NamedSets sets;
};

using Tables = std::map<std::string, Table>;  // by "inet filter"

std::string table_of(const Json& object) {
  const bool is_table_itself = !object.contains("table");
  return text_at(object, "family") + " " + text_at(object, is_table_itself ? "name" : "table");
}

RuleOrigin origin_of(const Json& object, const std::string& chain, std::string text) {
  RuleOrigin origin{
      .firewall = "nftables", .table = table_of(object), .chain = chain, .text = std::move(text)};
  origin.handle = base::number_in<std::uint64_t>(text_at(object, "handle"));
  return origin;
}

std::optional<Hook> hook_named(const std::string& name) {
  if (name == "prerouting") return Hook::kPrerouting;
  if (name == "input") return Hook::kInput;
  if (name == "output") return Hook::kOutput;
  if (name == "postrouting") return Hook::kPostrouting;
  return std::nullopt;
}

void take_chain(const Json& json, Table& table) {
  const std::string name = text_at(json, "name");
  table.chains.try_emplace(name);
  const auto hook = hook_named(text_at(json, "hook"));
  if (!hook) return;
  const std::string family = text_at(json, "family");
  BaseChain base;
  base.chain = name;
  base.family = family == "ip6" ? base::Family::kIpv6 : base::Family::kIpv4;
  base.is_for_both = family == "inet";
  base.hook = *hook;
  base.priority = base::number_in<int>(text_at(json, "prio")).value_or(0);
  base.is_policy_drop = text_at(json, "policy") == "drop";
  base.policy_origin =
      origin_of(json, name, "policy " + (base.is_policy_drop ? std::string("drop") : "accept"));
  table.bases.push_back(std::move(base));
}

bool set_verdict(const Json& statement, ChainRule& rule) {
  if (!statement.is_object() || statement.empty()) return false;
  const std::string name = statement.begin().key();
  const Json& value = statement.begin().value();
  if (name == "accept") {
    rule.verdict = Verdict::kAccept;
  } else if (name == "drop") {
    rule.verdict = Verdict::kDrop;
  } else if (name == "reject") {
    rule.verdict = Verdict::kReject;
  } else if (name == "return") {
    rule.verdict = Verdict::kReturn;
  } else if (name == "jump" || name == "goto") {
    rule.verdict = name == "jump" ? Verdict::kJump : Verdict::kGoto;
    rule.target = value.is_object() ? text_at(value, "target") : std::string();
  } else {
    return false;
  }
  return true;
}

// Statements that change nothing of whether the packet passes.
bool is_without_effect(const std::string& name) {
  constexpr std::string_view kNames[] = {"counter", "log",  "comment", "mangle",    "set",
                                         "map",     "last", "meta",    "ct helper", "continue"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

// Whose packets look different afterwards, or go elsewhere.
bool is_beyond_us(const std::string& name) {
  constexpr std::string_view kNames[] = {"dnat",    "snat", "masquerade", "redirect", "queue", "tproxy",
                                         "notrack", "dup",  "fwd",        "synproxy", "flow"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

class RuleReader {
 public:
  RuleReader(const Json& rule, const NamedSets& sets, RuleOrigin origin)
      : rule_(rule), sets_(sets), origin_(std::move(origin)) {}

  std::vector<ChainRule> read() {
    if (!rule_.contains("expr") || !rule_["expr"].is_array()) return {};
    for (const Json& statement : rule_["expr"])
      if (statement.is_object() && !statement.empty()) take(statement);
    return std::move(made_);
  }

 private:
  void take(const Json& statement) {
    const std::string name = statement.begin().key();
    const Json& value = statement.begin().value();
    ChainRule decided;
    if (name == "match" && value.is_object()) {
      const bool is_whole = value.contains("left") && value.contains("right");
      if (!is_whole || !narrow(alternatives_, value["left"], text_at(value, "op"), value["right"], sets_))
        doubt(statement);
    } else if (set_verdict(statement, decided)) {
      push(std::move(decided), alternatives_);
    } else if (name == "vmap" && value.is_object()) {
      take_map(statement, value);
    } else if (is_beyond_us(name)) {
      decided.verdict = Verdict::kUnknown;
      push(std::move(decided), alternatives_);
    } else if (!is_without_effect(name)) {
      doubt(statement);
    }
  }

  void take_map(const Json& statement, const Json& map) {
    const Json* list = nullptr;
    if (map.contains("data")) {
      const Json& data = map["data"];
      if (data.is_object() && data.contains("set")) list = &data["set"];
      const auto named = data.is_string() ? sets_.find(data.get<std::string>()) : sets_.end();
      if (named != sets_.end()) list = &named->second;
    }
    if (list == nullptr || !list->is_array() || !map.contains("key")) return doubt_all(statement);
    for (const Json& element : *list) {
      ChainRule decided;
      if (!element.is_array() || element.size() != 2 || !set_verdict(element[1], decided))
        return doubt_all(statement);
      std::vector<Match> narrowed = alternatives_;
      if (!narrow(narrowed, map["key"], "==", element[0], sets_)) return doubt_all(statement);
      push(std::move(decided), std::move(narrowed));
    }
  }

  // From here on the rule may match or not.
  void doubt(const Json& statement) {
    for (Match& match : alternatives_)
      if (match.not_understood.empty()) match.not_understood = nft_text(statement);
  }
  void doubt_all(const Json& statement) {
    ChainRule decided;
    decided.verdict = Verdict::kUnknown;
    doubt(statement);
    push(std::move(decided), alternatives_);
  }
  void push(ChainRule rule, std::vector<Match> alternatives) {
    rule.alternatives = std::move(alternatives);
    rule.origin = origin_;
    made_.push_back(std::move(rule));
  }

  const Json& rule_;
  const NamedSets& sets_;
  RuleOrigin origin_;
  std::vector<Match> alternatives_ = {Match{}};
  std::vector<ChainRule> made_;
};

void take_rule(const Json& json, Table& table) {
  const std::string chain = text_at(json, "chain");
  RuleOrigin origin = origin_of(json, chain, json.contains("expr") ? nft_text(json["expr"]) : "");
  for (ChainRule& rule : RuleReader(json, table.sets, std::move(origin)).read())
    table.chains[chain].rules.push_back(std::move(rule));
}

template <typename Take>
void for_each(const Json& list, const char* kind, Take take) {
  for (const Json& item : list)
    if (item.is_object() && item.contains(kind) && item[kind].is_object()) take(item[kind]);
}

}  // namespace

std::vector<Program> nft_programs(const Json& document, const std::set<std::string>& replaced,
                                  std::vector<std::string>& limits) {
  std::vector<Program> programs;
  if (document.is_null()) return programs;
  if (!document.is_object() || !document.contains("nftables") || !document["nftables"].is_array()) {
    limits.emplace_back("firewall: the rules of nftables are not in the form of nft -j");
    return programs;
  }
  const Json& list = document["nftables"];
  Tables tables;
  const auto take_set = [&](const Json& set) {
    tables[table_of(set)].sets["@" + text_at(set, "name")] =
        set.contains("elem") ? set["elem"] : Json::array();
  };
  for_each(list, "set", take_set);
  for_each(list, "map", take_set);
  for_each(list, "chain", [&](const Json& chain) {
    const std::string family = text_at(chain, "family");
    if (chain.contains("hook") && (family == "netdev" || family == "bridge"))
      limits.push_back(
          fmt::format("firewall: chain {} of {} is not looked at", text_at(chain, "name"), table_of(chain)));
    if (family == "ip" || family == "ip6" || family == "inet") take_chain(chain, tables[table_of(chain)]);
  });
  for_each(list, "rule", [&](const Json& rule) { take_rule(rule, tables[table_of(rule)]); });
  for (const auto& [name, table] : tables) {
    if (replaced.contains(name)) continue;
    for (const BaseChain& base : table.bases) programs.push_back(compile(table.chains, base));
  }
  return programs;
}

}  // namespace lockstep::network
