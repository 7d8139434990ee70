#include <algorithm>
#include <arpa/inet.h>
#include <cstring>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

#include "base/lines.h"
#include "base/process/proc_files.h"
#include "base/text_fields.h"
#include "hostinfo/collect/parts.h"
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

namespace {

constexpr std::size_t kMaxTableBytes = std::size_t{64} << 20;

// The kernel prints the address as words of 32 bits in the machine's byte order: 0100007F is 127.0.0.1.
std::optional<base::Address> address_in(std::string_view hex) {
  base::Address address;
  if (hex.size() == 32) {
    address.family = base::Family::kIpv6;
  } else if (hex.size() != 8) {
    return std::nullopt;
  }
  for (std::size_t at = 0; at < hex.size(); at += 8) {
    const auto word = base::number_in<std::uint32_t>(hex.substr(at, 8), 16);
    if (!word) return std::nullopt;
    std::memcpy(address.bytes.data() + at / 2, &*word, sizeof *word);
  }
  return address;
}

}  // namespace

std::vector<ListeningSocket> listening_in(std::string_view text) {
  constexpr std::string_view kListen = "0A";
  std::vector<ListeningSocket> sockets;
  base::Lines lines(text);
  while (const auto line = lines.next()) {
    const std::string_view local = base::trimmed(base::rest_after(*line, ": "));
    const std::string_view remote = base::trimmed(base::rest_after(local, " "));
    const std::string_view state = base::word_of(base::trimmed(base::rest_after(remote, " ")));
    if (state != kListen) continue;
    const std::size_t colon = local.find(':');
    if (colon == std::string_view::npos) continue;
    const auto address = address_in(local.substr(0, colon));
    const auto port = base::number_in<std::uint16_t>(base::word_of(local.substr(colon + 1)), 16);
    if (address && port) sockets.push_back({.address = *address, .port = *port, .program = ""});
  }
  return sockets;
}

void take_listening(HostFacts& facts) {
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    const std::string text = process::text_of(table, kMaxTableBytes);
    for (ListeningSocket& socket : listening_in(text)) facts.listening.push_back(std::move(socket));
  }
}

namespace {

void take_nftables(HostFacts& facts) {
  const Answer answer = ask({"nft", "-j", "list", "ruleset"});
  if (!answer.ok()) {
    facts.unseen.push_back(fmt::format("firewall: {}", answer.why_not));
    return;
  }
  auto ruleset = base::parse_json(answer.text, "nft");
  if (!ruleset.ok()) {
    facts.unseen.emplace_back("firewall: nft printed no JSON (it is built without it)");
    return;
  }
  facts.firewall.nftables = std::move(ruleset).value();
  facts.firewall.was_seen = true;
}

// Asking the legacy programs would load the kernel's modules, so the kernel is asked first whether there are
// such tables.
bool has_legacy_tables(bool is_ipv6) {
  return !base::trimmed(
              process::text_of(is_ipv6 ? "/proc/net/ip6_tables_names" : "/proc/net/ip_tables_names"))
              .empty();
}

void take_iptables(IptablesKind kind, bool is_ipv6, HostFacts& facts) {
  const char* const family = is_ipv6 ? "ip6tables" : "iptables";
  const std::string program =
      fmt::format("{}-{}-save", family, kind == IptablesKind::kLegacy ? "legacy" : "nft");
  Answer answer = ask({program});
  if (answer.ok()) {
    if (!base::trimmed(answer.text).empty()) facts.firewall.iptables.push_back({kind, is_ipv6, answer.text});
    return;
  }
  facts.unseen.push_back(fmt::format("firewall: {}", answer.why_not));
  if (kind == IptablesKind::kLegacy) facts.firewall.was_seen = false;
}

// Rules that iptables-nft wrote with its extensions stand in nft's JSON without their values.
bool has_extensions(const base::Json& ruleset) {
  return base::to_text(ruleset, base::JsonLayout::kOneLine).find("\"xt\":") != std::string::npos;
}

}  // namespace

void take_firewall(HostFacts& facts) {
  if (::geteuid() != 0) {
    facts.unseen.emplace_back("firewall: only root may list it; run as root, or  sudo lockstep facts");
    return;
  }
  take_nftables(facts);
  for (const bool is_ipv6 : {false, true}) {
    if (has_legacy_tables(is_ipv6)) take_iptables(IptablesKind::kLegacy, is_ipv6, facts);
    if (has_extensions(facts.firewall.nftables)) take_iptables(IptablesKind::kNft, is_ipv6, facts);
  }
}

}  // namespace lockstep::hostinfo
