#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text_fields.h"
#include "hostinfo/collect/parts.h"

namespace lockstep::hostinfo {
namespace {

using base::Json;

std::string text_in(const Json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end()) return {};
  if (at->is_string()) return at->get<std::string>();
  return at->is_number_integer() ? std::to_string(at->get<std::int64_t>()) : std::string();
}

std::optional<unsigned> number_at(const Json& object, const char* key) {
  return base::number_in<unsigned>(text_in(object, key));
}

bool has_flag(const Json& object, std::string_view flag) {
  const auto at = object.find("flags");
  return at != object.end() && at->is_array() &&
         std::ranges::any_of(*at, [&](const Json& item) { return item == flag; });
}

// The elements of the outermost list that are objects; `ip` prints {} for those it leaves out.
std::vector<Json> objects_in(std::string_view text, std::string_view what, std::vector<std::string>& faults) {
  std::vector<Json> objects;
  if (base::trimmed(text).empty()) return objects;
  auto list = base::parse_json(text, what);
  if (!list.ok() || !list.value().is_array()) {
    faults.push_back(fmt::format("{}: the output of ip is not a list in JSON", what));
    return objects;
  }
  for (Json& item : list.value())
    if (item.is_object() && !item.empty()) objects.push_back(std::move(item));
  return objects;
}

std::optional<InterfaceAddress> address_in(const Json& json) {
  const auto address = base::parse_address(text_in(json, "local"));
  const auto length = number_at(json, "prefixlen");
  if (!address || !length || *length > static_cast<unsigned>(address->bits())) return std::nullopt;
  InterfaceAddress made;
  made.prefix = {*address, static_cast<int>(*length)};
  made.scope = text_in(json, "scope");
  made.label = text_in(json, "label");
  made.peer = base::parse_address(text_in(json, "address"));
  made.is_temporary = json.contains("temporary") && json["temporary"] == true;
  made.is_deprecated = json.contains("deprecated") && json["deprecated"] == true;
  return made;
}

Interface interface_in(const Json& json) {
  Interface made;
  made.index = static_cast<int>(number_at(json, "ifindex").value_or(0));
  made.name = text_in(json, "ifname");
  made.master = text_in(json, "master");
  made.mtu = number_at(json, "mtu").value_or(0);
  made.is_up = has_flag(json, "UP");
  // `ip` prints LOWER_UP for the carrier and leaves RUNNING out.
  made.is_running = made.is_up && (has_flag(json, "LOWER_UP") || has_flag(json, "RUNNING"));
  made.is_loopback = has_flag(json, "LOOPBACK");
  made.is_point_to_point = has_flag(json, "POINTOPOINT");
  made.hardware_address = text_in(json, "address");
  if (const auto info = json.find("linkinfo"); info != json.end() && info->is_object())
    made.kind = text_in(*info, "info_kind");
  if (const auto list = json.find("addr_info"); list != json.end() && list->is_array()) {
    for (const Json& item : *list)
      if (auto address = item.is_object() ? address_in(item) : std::nullopt)
        made.addresses.push_back(std::move(*address));
  }
  return made;
}

std::optional<base::Prefix> destination_in(const std::string& text, base::Family family) {
  if (text == "default" || text == "all" || text.empty()) return base::whole_family(family);
  return base::parse_prefix(text);
}

void take_hop(const Json& hop, Route route, std::vector<Route>& routes) {
  if (const auto gateway = base::parse_address(text_in(hop, "gateway"))) route.gateway = gateway;
  if (const auto via = hop.find("via"); via != hop.end() && via->is_object())
    route.gateway = base::parse_address(text_in(*via, "host"));
  if (auto interface = text_in(hop, "dev"); !interface.empty()) route.interface = std::move(interface);
  route.is_usable = !has_flag(hop, "linkdown") && !has_flag(hop, "dead");
  routes.push_back(std::move(route));
}

std::optional<unsigned> mtu_in(const Json& json) {
  const auto metrics = json.find("metrics");
  if (metrics == json.end() || !metrics->is_array()) return std::nullopt;
  for (const Json& item : *metrics)
    if (item.is_object() && item.contains("mtu")) return number_at(item, "mtu");
  return std::nullopt;
}

std::optional<base::Prefix> selector_in(const Json& json, const char* address, const char* length) {
  const std::string text = text_in(json, address);
  if (text.empty() || text == "all") return std::nullopt;
  auto prefix = base::parse_prefix(text);
  if (!prefix) return std::nullopt;
  const auto bits = number_at(json, length);
  if (bits && *bits <= static_cast<unsigned>(prefix->address.bits()))
    prefix->length = static_cast<int>(*bits);
  return prefix;
}

bool is_understood(std::string_view key) {
  constexpr std::string_view kKnown[] = {"priority", "src",   "srclen", "dst",      "dstlen", "iif",
                                         "oif",      "table", "action", "protocol", "fwmark"};
  return std::ranges::find(kKnown, key) != std::end(kKnown);
}

}  // namespace

std::vector<Interface> interfaces_in(std::string_view json, std::vector<std::string>& faults) {
  std::vector<Interface> interfaces;
  for (const Json& object : objects_in(json, "interfaces", faults)) {
    Interface made = interface_in(object);
    if (!made.name.empty()) interfaces.push_back(std::move(made));
  }
  return interfaces;
}

std::vector<Route> routes_in(std::string_view json, base::Family family, std::vector<std::string>& faults) {
  std::vector<Route> routes;
  for (const Json& object : objects_in(json, "routes", faults)) {
    const auto destination = destination_in(text_in(object, "dst"), family);
    if (!destination) continue;
    Route route;
    route.destination = *destination;
    if (auto table = text_in(object, "table"); !table.empty()) route.table = std::move(table);
    if (auto kind = text_in(object, "type"); !kind.empty()) route.kind = std::move(kind);
    route.interface = text_in(object, "dev");
    route.source = base::parse_address(text_in(object, "prefsrc"));
    route.metric = number_at(object, "metric").value_or(0);
    route.mtu = mtu_in(object);
    const auto hops = object.find("nexthops");
    if (hops == object.end() || !hops->is_array()) {
      take_hop(object, std::move(route), routes);
      continue;
    }
    for (const Json& hop : *hops)
      if (hop.is_object()) take_hop(hop, route, routes);
  }
  return routes;
}

std::vector<PolicyRule> policy_rules_in(std::string_view json, base::Family family,
                                        std::vector<std::string>& faults) {
  std::vector<PolicyRule> rules;
  for (const Json& object : objects_in(json, "rules", faults)) {
    PolicyRule rule;
    rule.family = family;
    rule.priority = number_at(object, "priority").value_or(0);
    rule.from = selector_in(object, "src", "srclen");
    rule.to = selector_in(object, "dst", "dstlen");
    rule.incoming = text_in(object, "iif");
    rule.outgoing = text_in(object, "oif");
    rule.table = text_in(object, "table");
    if (auto action = text_in(object, "action"); !action.empty()) rule.action = std::move(action);
    const std::string mark = text_in(object, "fwmark");
    if (mark.starts_with("0x")) rule.mark = base::number_in<std::uint32_t>(mark.substr(2), 16);
    for (const auto& [key, value] : object.items())
      if (!is_understood(key)) rule.not_understood += (rule.not_understood.empty() ? "" : " ") + key;
    rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace lockstep::hostinfo
