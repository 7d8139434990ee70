#include "hostinfo/collect/links.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/process/proc_files.h"
#include "base/text_fields.h"
#include "hostinfo/collect/ip_json.h"
#include "hostinfo/collect/program.h"

namespace lockstep::hostinfo {
namespace {

using base::Family;

void take_speeds(HostFacts& facts) {
  for (Interface& interface : facts.interfaces) {
    const std::string text = process::text_of(fmt::format("/sys/class/net/{}/speed", interface.name));
    interface.speed_mbps = base::number_in<unsigned>(base::trimmed(text));  // -1 where it has none
  }
}

std::optional<std::int64_t> number_at(const char* path) {
  return base::number_in<std::int64_t>(base::trimmed(process::text_of(path)));
}

void take_neighbours(HostFacts& facts) {
  const std::string arp = process::text_of("/proc/net/arp", std::size_t{16} << 20);
  if (!arp.empty()) facts.neighbours.ipv4_count = std::ranges::count(arp, '\n') - 1;
  facts.neighbours.ipv4_limit = number_at("/proc/sys/net/ipv4/neigh/default/gc_thresh3");
  facts.neighbours.ipv6_limit = number_at("/proc/sys/net/ipv6/neigh/default/gc_thresh3");
  if (!facts.neighbours.ipv4_limit)
    facts.unseen.emplace_back("neighbours: their limit is not shown in this container");
}

}  // namespace

void take_links(HostFacts& facts) {
  const Answer links = ask({"ip", "-j", "-d", "addr", "show"});
  if (!links.ok()) {
    facts.unseen.push_back(fmt::format("interfaces and routes: {} (package iproute2)", links.why_not));
    return;
  }
  facts.interfaces = interfaces_in(links.text, facts.unseen);
  take_speeds(facts);
  for (const auto& [family, flag] : {std::pair(Family::kIpv4, "-4"), std::pair(Family::kIpv6, "-6")}) {
    const Answer routes = ask({"ip", "-j", flag, "route", "show", "table", "all"});
    if (!routes.ok()) facts.unseen.push_back("routes: " + routes.why_not);
    std::ranges::move(routes_in(routes.text, family, facts.unseen), std::back_inserter(facts.routes));
    const Answer rules = ask({"ip", "-j", flag, "rule"});
    if (!rules.ok() && family == Family::kIpv4) facts.unseen.push_back("policy rules: " + rules.why_not);
    std::ranges::move(policy_rules_in(rules.text, family, facts.unseen),
                      std::back_inserter(facts.policy_rules));
  }
  take_neighbours(facts);
}

}  // namespace lockstep::hostinfo
