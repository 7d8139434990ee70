#include "network/route_lookup.h"

#include <algorithm>

#include <fmt/format.h>

namespace lockstep::network {
namespace {

bool refuses(const std::string& kind) {
  return kind == "unreachable" || kind == "blackhole" || kind == "prohibit";
}

bool can_be_used(const hostinfo::HostFacts& host, const hostinfo::Route& route) {
  if (!route.is_usable) return false;
  if (route.interface.empty()) return true;
  const hostinfo::Interface* const interface = host.interface_named(route.interface);
  return interface == nullptr || interface->is_up;
}

// The longest prefix, then the smallest metric, then the first.
const hostinfo::Route* best_in(const hostinfo::HostFacts& host, const std::string& table,
                               const base::Address& destination) {
  const hostinfo::Route* best = nullptr;
  for (const hostinfo::Route& route : host.routes) {
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

std::optional<base::Address> source_for(const hostinfo::HostFacts& host, const hostinfo::Route& route,
                                        const base::Address& destination) {
  if (route.source) return route.source;
  const hostinfo::Interface* const interface = host.interface_named(route.interface);
  if (interface == nullptr) return std::nullopt;
  std::optional<base::Address> first;
  for (const hostinfo::InterfaceAddress& own : interface->addresses) {
    if (own.prefix.address.family != destination.family || own.scope == "host") continue;
    const bool is_link = own.prefix.address.is_link_local();
    if (is_link != destination.is_link_local() && destination.family == base::Family::kIpv6) continue;
    if (own.prefix.contains(route.gateway.value_or(destination))) return own.prefix.address;
    if (!first) first = own.prefix.address;
  }
  return first;
}

bool applies(const hostinfo::PolicyRule& rule, const base::Address& destination,
             const std::optional<base::Address>& source) {
  if (rule.family != destination.family || !rule.incoming.empty()) return false;
  if (rule.to && !rule.to->contains(destination)) return false;
  if (rule.from && !(source && rule.from->contains(*source))) return false;
  return rule.outgoing.empty() && !rule.mark;  // sockets of the libraries set neither
}

std::vector<const hostinfo::PolicyRule*> ordered_rules(const hostinfo::HostFacts& host) {
  std::vector<const hostinfo::PolicyRule*> rules;
  for (const hostinfo::PolicyRule& rule : host.policy_rules) rules.push_back(&rule);
  std::ranges::stable_sort(rules, {}, [](const hostinfo::PolicyRule* rule) { return rule->priority; });
  return rules;
}

bool has_rules_of(const hostinfo::HostFacts& host, base::Family family) {
  return std::ranges::any_of(host.policy_rules,
                             [&](const hostinfo::PolicyRule& rule) { return rule.family == family; });
}

// Of one family they may have been seen: `ip` is asked twice.
bool are_routes_missing(const hostinfo::HostFacts& host) {
  return host.routes.empty() ||
         std::ranges::any_of(host.unseen, [](const std::string& one) { return one.starts_with("routes:"); });
}

// An answer without words.
struct Way {
  RouteEnd end = RouteEnd::kNoRoute;
  const hostinfo::Route* route = nullptr;
  const hostinfo::PolicyRule* rule = nullptr;
};

Way by_route(const hostinfo::Route& route, const hostinfo::PolicyRule* rule) {
  return {refuses(route.kind) ? RouteEnd::kRefused : RouteEnd::kFound, &route, rule};
}

Way by_tables(const hostinfo::HostFacts& host, const base::Address& destination) {
  static const std::string kTables[] = {"local", "main"};
  for (const std::string& table : kTables) {
    const hostinfo::Route* const route = best_in(host, table, destination);
    if (route != nullptr && route->kind != "throw") return by_route(*route, nullptr);
  }
  return {};
}

Way by_rules(const hostinfo::HostFacts& host, const base::Address& destination,
             const std::optional<base::Address>& source) {
  for (const hostinfo::PolicyRule* rule : ordered_rules(host)) {
    if (!applies(*rule, destination, source)) continue;
    if (!rule->not_understood.empty()) return {RouteEnd::kUnknown, nullptr, rule};
    if (refuses(rule->action)) return {RouteEnd::kRefused, nullptr, rule};
    const hostinfo::Route* const route = best_in(host, rule->table, destination);
    if (route != nullptr && route->kind != "throw") return by_route(*route, rule);
  }
  return {};
}

Way way_of(const hostinfo::HostFacts& host, const base::Address& destination,
           const std::optional<base::Address>& source) {
  Way way = has_rules_of(host, destination.family) ? by_rules(host, destination, source)
                                                   : by_tables(host, destination);
  if (way.end == RouteEnd::kNoRoute && are_routes_missing(host)) way.end = RouteEnd::kUnknown;
  return way;
}

std::optional<base::Address> source_by(const hostinfo::HostFacts& host, const hostinfo::Route& route,
                                       const base::Address& destination) {
  return route.kind == "local" ? route.source.value_or(destination) : source_for(host, route, destination);
}

std::string why_not(const Way& way, const base::Address& destination) {
  const bool is_refused = way.end == RouteEnd::kRefused;
  if (is_refused && way.route != nullptr)
    return fmt::format("the route \"{}\" refuses it", to_text(*way.route));
  if (is_refused) return fmt::format("policy rule {} says {}", way.rule->priority, way.rule->action);
  if (way.rule != nullptr)
    return fmt::format("policy rule {} asks for \"{}\", which is not understood", way.rule->priority,
                       way.rule->not_understood);
  if (way.end == RouteEnd::kUnknown) return "its routes were not seen";
  return fmt::format("it has no route to {}", to_text(destination));
}

}  // namespace

std::string to_text(const hostinfo::Route& route) {
  std::string text = route.kind == "unicast" ? "" : route.kind + " ";
  text += route.destination.is_default() ? "default" : to_text(route.destination);
  if (route.gateway) text += " via " + to_text(*route.gateway);
  if (!route.interface.empty()) text += " dev " + route.interface;
  if (route.table != "main") text += " table " + route.table;
  return text;
}

RouteAnswer look_up_route(const hostinfo::HostFacts& host, const base::Address& destination,
                          const std::optional<base::Address>& source) {
  const Way way = way_of(host, destination, source);
  RouteAnswer answer;
  answer.end = way.end;
  answer.route = way.route;
  answer.rule = way.rule;
  if (way.end != RouteEnd::kFound) {
    answer.why = why_not(way, destination);
    return answer;
  }
  answer.is_local = way.route->kind == "local";
  answer.interface = answer.is_local ? "lo" : way.route->interface;
  answer.source = source_by(host, *way.route, destination);
  return answer;
}

RouteSource look_up_source(const hostinfo::HostFacts& host, const base::Address& destination) {
  const Way way = way_of(host, destination, {});
  if (way.end != RouteEnd::kFound) return {way.end, std::nullopt};
  return {way.end, source_by(host, *way.route, destination)};
}

}  // namespace lockstep::network
