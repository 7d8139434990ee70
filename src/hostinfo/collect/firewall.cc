#include "hostinfo/collect/firewall.h"

#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

#include "base/process/proc_files.h"
#include "base/text_fields.h"
#include "hostinfo/collect/program.h"

namespace lockstep::hostinfo {
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
