#include "network/route_lookup.h"

#include <algorithm>

#include <fmt/format.h>

namespace lockstep::network {
namespace {

bool refuses(const std::string& kind) {
  return kind == "unreachable" || kind == "blackhole" || kind == "prohibit";
}

bool can_be_used(const HostFacts& host, const Route& route) {
  if (!route.is_usable) return false;
  if (route.interface.empty()) return true;
  const Interface* const interface = host.interface_named(route.interface);
  return interface == nullptr || interface->is_up;
}

// The longest prefix, then the smallest metric, then the first.
const Route* best_in(const HostFacts& host, const std::string& table, const Address& destination) {
  const Route* best = nullptr;
  for (const Route& route : host.routes) {
    if (route.table != table || !route.destination.contains(destination)) continue;
    if (route.kind == "broadcast" || route.kind == "multicast" || route.kind == "anycast") continue;
    if (!can_be_used(host, route)) continue;
    const bool is_better =
        best == nullptr || route.destination.length > best->destination.length ||
        (route.destination.length == best->destination.length && route.metric < best->metric);
    if (is_better) best = &route;
  }
  return best;
}

std::optional<Address> source_for(const HostFacts& host, const Route& route, const Address& destination) {
  if (route.source) return route.source;
  const Interface* const interface = host.interface_named(route.interface);
  if (interface == nullptr) return std::nullopt;
  std::optional<Address> first;
  for (const InterfaceAddress& own : interface->addresses) {
    if (own.prefix.address.family != destination.family || own.scope == "host") continue;
    const bool is_link = own.prefix.address.is_link_local();
    if (is_link != destination.is_link_local() && destination.family == Family::kIpv6) continue;
    if (own.prefix.contains(route.gateway.value_or(destination))) return own.prefix.address;
    if (!first) first = own.prefix.address;
  }
  return first;
}

RouteAnswer answer_from(const HostFacts& host, const Route& route, const PolicyRule* rule,
                        const Address& destination) {
  RouteAnswer answer;
  answer.route = &route;
  answer.rule = rule;
  if (refuses(route.kind)) {
    answer.end = RouteEnd::kRefused;
    answer.why = fmt::format("the route \"{}\" refuses it", to_text(route));
    return answer;
  }
  answer.end = RouteEnd::kFound;
  answer.is_local = route.kind == "local";
  answer.interface = answer.is_local ? "lo" : route.interface;
  answer.source = answer.is_local ? std::optional(route.source.value_or(destination))
                                  : source_for(host, route, destination);
  return answer;
}

bool applies(const PolicyRule& rule, const Address& destination, const std::optional<Address>& source) {
  if (rule.family != destination.family || !rule.incoming.empty()) return false;
  if (rule.to && !rule.to->contains(destination)) return false;
  if (rule.from && !(source && rule.from->contains(*source))) return false;
  return rule.outgoing.empty() && !rule.mark;  // sockets of the libraries set neither
}

std::vector<const PolicyRule*> ordered_rules(const HostFacts& host) {
  std::vector<const PolicyRule*> rules;
  for (const PolicyRule& rule : host.policy_rules) rules.push_back(&rule);
  std::ranges::stable_sort(rules, {}, [](const PolicyRule* rule) { return rule->priority; });
  return rules;
}

}  // namespace

std::string to_text(const Route& route) {
  std::string text = route.kind == "unicast" ? "" : route.kind + " ";
  text += route.destination.is_default() ? "default" : to_text(route.destination);
  if (route.gateway) text += " via " + to_text(*route.gateway);
  if (!route.interface.empty()) text += " dev " + route.interface;
  if (route.table != "main") text += " table " + route.table;
  return text;
}

RouteAnswer look_up_route(const HostFacts& host, const Address& destination,
                          const std::optional<Address>& source) {
  std::vector<const PolicyRule*> rules = ordered_rules(host);
  static const PolicyRule kLocal{.table = "local"};
  static const PolicyRule kMain{.table = "main"};
  const bool has_none =
      std::ranges::none_of(rules, [&](const PolicyRule* rule) { return rule->family == destination.family; });
  if (has_none) rules = {&kLocal, &kMain};
  for (const PolicyRule* rule : rules) {
    const bool is_default_set = rule == &kLocal || rule == &kMain;
    if (!is_default_set && !applies(*rule, destination, source)) continue;
    if (!rule->not_understood.empty()) {
      RouteAnswer answer;
      answer.end = RouteEnd::kUnknown;
      answer.rule = rule;
      answer.why = fmt::format("policy rule {} asks for \"{}\", which is not understood", rule->priority,
                               rule->not_understood);
      return answer;
    }
    if (refuses(rule->action)) {
      RouteAnswer answer;
      answer.end = RouteEnd::kRefused;
      answer.rule = rule;
      answer.why = fmt::format("policy rule {} says {}", rule->priority, rule->action);
      return answer;
    }
    if (const Route* const route = best_in(host, rule->table, destination);
        route != nullptr && route->kind != "throw")
      return answer_from(host, *route, is_default_set ? nullptr : rule, destination);
  }
  RouteAnswer none;
  // Of one family they may have been seen: `ip` is asked twice.
  const bool are_missing =
      std::ranges::any_of(host.unseen, [](const std::string& one) { return one.starts_with("routes:"); });
  if (host.routes.empty() || are_missing) {
    none.end = RouteEnd::kUnknown;
    none.why = "its routes were not seen";
  } else {
    none.why = fmt::format("it has no route to {}", to_text(destination));
  }
  return none;
}

}  // namespace lockstep::network
