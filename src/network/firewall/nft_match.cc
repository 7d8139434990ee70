#include <algorithm>

#include "base/text_fields.h"
#include "network/firewall/rule_sets.h"

namespace lockstep::network {
namespace {

using base::Json;

// Matches that one rule may become, when sets are multiplied by each other; a rule of more is doubtful.
constexpr std::size_t kMaxAlternatives = 4096;

std::string text_of(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  return json.is_number_integer() ? std::to_string(json.get<std::int64_t>()) : std::string();
}

std::string text_at(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) ? text_of(object[key]) : std::string();
}

// {"elem": {"val": X, "timeout": 60}} is X.
const Json& without_wrapping(const Json& element) {
  if (!element.is_object() || !element.contains("elem")) return element;
  const Json& inner = element["elem"];
  return inner.is_object() && inner.contains("val") ? inner["val"] : element;
}

// The elements that the right side stands for: of a set, a list, a named set, or itself alone.
bool elements_of(const Json& right, const NamedSets& sets, std::vector<Json>& elements) {
  const Json* list = nullptr;
  if (right.is_object() && right.contains("set")) {
    list = &right["set"];
  } else if (right.is_array()) {
    list = &right;
  } else if (right.is_string() && right.get<std::string>().starts_with('@')) {
    const auto named = sets.find(right.get<std::string>());
    if (named == sets.end()) return false;
    list = &named->second;
  }
  if (list == nullptr || !list->is_array()) {
    elements.push_back(list == nullptr ? right : *list);
    return true;
  }
  for (const Json& element : *list) elements.push_back(without_wrapping(element));
  return true;
}

std::optional<PortSet::Range> port_range(const Json& json) {
  const auto one = [](const Json& value) -> std::optional<std::uint16_t> {
    return base::number_in<std::uint16_t>(text_of(value));
  };
  if (json.is_object() && json.contains("range") && json["range"].is_array() && json["range"].size() == 2) {
    const auto first = one(json["range"][0]);
    const auto last = one(json["range"][1]);
    return first && last ? std::optional(PortSet::Range{*first, *last}) : std::nullopt;
  }
  const auto port = one(json);
  return port ? std::optional(PortSet::Range{*port, *port}) : std::nullopt;
}

std::optional<AddressRange> address_range(const Json& json) {
  if (json.is_object() && json.contains("prefix")) {
    const Json& prefix = json["prefix"];
    const auto made = base::parse_prefix(text_at(prefix, "addr") + "/" + text_at(prefix, "len"));
    return made ? std::optional(AddressRange{made->first(), made->last()}) : std::nullopt;
  }
  if (json.is_object() && json.contains("range") && json["range"].is_array() && json["range"].size() == 2) {
    const auto first = base::parse_address(text_of(json["range"][0]));
    const auto last = base::parse_address(text_of(json["range"][1]));
    return first && last ? std::optional(AddressRange{*first, *last}) : std::nullopt;
  }
  const auto address = base::parse_address(text_of(json));
  return address ? std::optional(AddressRange{*address, *address}) : std::nullopt;
}

std::optional<std::uint8_t> protocol_named(const Json& json) {
  const std::string name = text_of(json);
  if (name == "tcp" || name == "6") return kTcp;
  if (name == "udp" || name == "17") return kUdp;
  if (name == "icmp" || name == "icmpv6" || name == "ipv6-icmp" || name == "1" || name == "58") return kIcmp;
  return name.empty() ? std::nullopt : std::optional<std::uint8_t>(kOtherProtocol);
}

std::optional<std::uint8_t> state_named(const Json& json) {
  const std::string name = text_of(json);
  if (name == "new") return kNew;
  if (name == "established") return kEstablished;
  return name.empty() ? std::nullopt : std::optional<std::uint8_t>(kOtherState);
}

std::optional<std::uint8_t> flag_named(const Json& json) {
  constexpr std::string_view kFlags[] = {"fin", "syn", "rst", "psh", "ack", "urg", "ecn", "cwr"};
  const auto at = std::ranges::find(kFlags, text_of(json));
  if (at == std::end(kFlags)) return std::nullopt;
  return static_cast<std::uint8_t>(1U << (at - std::begin(kFlags)));
}

template <typename Named>
std::optional<std::uint8_t> mask_of(const std::vector<Json>& elements, Named named) {
  std::uint8_t mask = 0;
  for (const Json& element : elements) {
    if (element.is_object() && element.contains("|") && element["|"].is_array()) {
      const auto inner = mask_of(std::vector<Json>(element["|"].begin(), element["|"].end()), named);
      if (!inner) return std::nullopt;
      mask |= *inner;
      continue;
    }
    const auto bit = named(element);
    if (!bit) return std::nullopt;
    mask |= *bit;
  }
  return mask;
}

bool narrow_addresses(Match& match, const std::vector<Json>& elements, bool is_source, bool is_inverted) {
  AddressSet& set = is_source ? match.source : match.destination;
  if (!set.is_any) return false;  // two matches of one side in a rule are rare
  AddressSet made;
  made.is_any = false;
  made.is_inverted = is_inverted;
  for (const Json& element : elements) {
    const auto range = address_range(element);
    if (!range) return false;
    made.add(*range);
  }
  made.seal();
  set = std::move(made);
  return true;
}

bool narrow_number(Match& match, const std::vector<Json>& elements, const std::string& op, bool is_source) {
  PortSet ports;
  for (const Json& element : elements) {
    const auto range = port_range(element);
    if (!range) return false;
    ports.add(*range);
  }
  if (op == "!=") {
    ports = ports.complement();
  } else if (op != "==" && op != "in") {
    if (ports.ranges().size() != 1) return false;
    const auto [first, last] = ports.ranges().front();
    ports = PortSet();
    if (op == "<" && first > 0) ports.add({0, static_cast<std::uint16_t>(first - 1)});
    if (op == "<=") ports.add({0, last});
    if (op == ">" && last < 65535) ports.add({static_cast<std::uint16_t>(last + 1), 65535});
    if (op == ">=") ports.add({first, 65535});
  }
  narrow_ports(match, ports, is_source);
  return true;
}

bool narrow_payload(Match& match, const Json& payload, const std::string& op,
                    const std::vector<Json>& elements) {
  const std::string protocol = text_at(payload, "protocol");
  const std::string field = text_at(payload, "field");
  const bool is_equality = op == "==" || op == "!=" || op == "in";
  if (protocol == "ip" || protocol == "ip6") {
    match.family = protocol == "ip" ? base::Family::kIpv4 : base::Family::kIpv6;
    if (!is_equality) return false;
    if (field == "saddr" || field == "daddr")
      return narrow_addresses(match, elements, field == "saddr", op == "!=");
    if (field != "protocol" && field != "nexthdr") return false;
    const auto mask = mask_of(elements, protocol_named);
    if (!mask) return false;
    match.protocols &= op == "!=" ? static_cast<std::uint8_t>(~*mask & kAnyProtocol) : *mask;
    return true;
  }
  if (protocol == "tcp") match.protocols &= kTcp;
  if (protocol == "udp") match.protocols &= kUdp;
  if (protocol == "th") match.protocols &= kTcp | kUdp;
  if (protocol == "icmp" || protocol == "icmpv6") {
    match.protocols &= kIcmp;
    return true;  // types are of no concern to our packets
  }
  if (protocol != "tcp" && protocol != "udp" && protocol != "th") {
    constexpr std::string_view kOthers[] = {"sctp", "dccp", "udplite", "esp", "ah", "comp", "gre", "igmp"};
    if (std::ranges::find(kOthers, protocol) == std::end(kOthers)) return false;
    match.protocols &= kOtherProtocol;
    return true;
  }
  if (field == "dport" || field == "sport") return narrow_number(match, elements, op, field == "sport");
  if (field != "flags" || !is_equality) return false;
  const auto flags = mask_of(elements, flag_named);
  if (!flags || match.tcp_flags_mask != 0) return false;
  if (op == "in") return false;  // any of them: depends on later packets too
  match.tcp_flags_mask = 0xff;
  match.tcp_flags_set = *flags;
  match.are_flags_inverted = op == "!=";
  return true;
}

// {"&": [{"payload": tcp flags}, mask]}
bool narrow_flags(Match& match, const Json& both, const std::string& op, const std::vector<Json>& elements) {
  if (!both.is_array() || both.size() != 2 || (op != "==" && op != "!=")) return false;
  const Json& left = both[0];
  if (!left.is_object() || !left.contains("payload") || text_at(left["payload"], "field") != "flags")
    return false;
  std::vector<Json> names;
  if (both[1].is_array()) {
    names.assign(both[1].begin(), both[1].end());
  } else {
    names.push_back(both[1]);
  }
  const auto mask = mask_of(names, flag_named);
  const bool is_none = elements.size() == 1 && elements[0] == 0;
  const auto flags = is_none ? std::optional<std::uint8_t>(0) : mask_of(elements, flag_named);
  if (!mask || !flags || match.tcp_flags_mask != 0) return false;
  match.protocols &= kTcp;
  match.tcp_flags_mask = *mask;
  match.tcp_flags_set = *flags;
  match.are_flags_inverted = op == "!=";
  return true;
}

bool narrow_interface(InterfaceSet& set, const std::vector<Json>& elements, bool is_inverted) {
  if (!set.is_any) return false;
  set.is_any = false;
  set.is_inverted = is_inverted;
  for (const Json& element : elements) set.names.push_back(text_of(element));
  return true;
}

bool narrow_meta(Match& match, const std::string& key, bool is_inverted, const std::vector<Json>& elements) {
  if (key == "iifname" || key == "iif") return narrow_interface(match.incoming, elements, is_inverted);
  if (key == "oifname" || key == "oif") return narrow_interface(match.outgoing, elements, is_inverted);
  if (key == "l4proto") {
    const auto mask = mask_of(elements, protocol_named);
    if (!mask) return false;
    match.protocols &= is_inverted ? static_cast<std::uint8_t>(~*mask & kAnyProtocol) : *mask;
    return true;
  }
  if (key == "nfproto" || key == "protocol") {
    if (elements.size() != 1 || is_inverted || match.family) return false;
    const std::string name = text_of(elements[0]);
    if (name != "ipv4" && name != "ipv6" && name != "ip" && name != "ip6") return false;
    match.family = name.ends_with('6') ? base::Family::kIpv6 : base::Family::kIpv4;
    return true;
  }
  return false;
}

bool narrow_state(Match& match, bool is_inverted, const std::vector<Json>& elements) {
  const auto mask = mask_of(elements, state_named);
  if (!mask) return false;
  match.states &= is_inverted ? static_cast<std::uint8_t>(~*mask & kAnyState) : *mask;
  // "untracked, related, invalid" share a bit: a rule against one of them says nothing of the others.
  return true;
}

// fib daddr type local
bool narrow_fib(Match& match, const Json& fib, bool is_inverted, const std::vector<Json>& elements) {
  const bool is_type = text_at(fib, "result") == "type" && fib.contains("flags");
  if (!is_type || elements.size() != 1 || text_of(elements[0]) != "local") return false;
  const Json& flags = fib["flags"];
  const std::string flag = flags.is_array() && flags.size() == 1 ? text_of(flags[0]) : text_of(flags);
  if (flag != "daddr" && flag != "saddr") return false;
  (flag == "daddr" ? match.is_destination_local : match.is_source_local) = !is_inverted;
  return true;
}

bool narrow_one(Match& match, const Json& left, const std::string& op, const std::vector<Json>& elements) {
  if (!left.is_object() || left.empty()) return false;
  const bool is_equality = op == "==" || op == "!=" || op == "in";
  if (left.contains("payload")) return narrow_payload(match, left["payload"], op, elements);
  if (left.contains("&")) return narrow_flags(match, left["&"], op, elements);
  if (!is_equality) return false;
  const bool is_inverted = op == "!=";
  if (left.contains("meta")) return narrow_meta(match, text_at(left["meta"], "key"), is_inverted, elements);
  if (left.contains("fib")) return narrow_fib(match, left["fib"], is_inverted, elements);
  if (left.contains("ct") && text_at(left["ct"], "key") == "state")
    return narrow_state(match, is_inverted, elements);
  return false;
}

// Concatenations: each element gives an alternative of its own.
bool narrow_concat(std::vector<Match>& alternatives, const Json& keys, const std::string& op,
                   const std::vector<Json>& elements) {
  if (op == "!=" || !keys.is_array()) return false;
  std::vector<Match> made;
  for (const Match& match : alternatives) {
    for (const Json& element : elements) {
      const Json& values = element.is_object() && element.contains("concat") ? element["concat"] : element;
      if (!values.is_array() || values.size() != keys.size()) return false;
      Match narrowed = match;
      for (std::size_t at = 0; at < keys.size(); ++at)
        if (!narrow_one(narrowed, keys[at], "==", {values[at]})) return false;
      made.push_back(std::move(narrowed));
      if (made.size() > kMaxAlternatives) return false;
    }
  }
  alternatives = std::move(made);
  return true;
}

}  // namespace

bool narrow(std::vector<Match>& alternatives, const Json& left, const std::string& op, const Json& right,
            const NamedSets& sets) {
  std::vector<Json> elements;
  if (!elements_of(right, sets, elements)) return false;
  if (left.is_object() && left.contains("concat"))
    return narrow_concat(alternatives, left["concat"], op, elements);
  std::vector<Match> made = alternatives;
  for (Match& match : made)
    if (!narrow_one(match, left, op, elements)) return false;
  alternatives = std::move(made);
  return true;
}

}  // namespace lockstep::network
