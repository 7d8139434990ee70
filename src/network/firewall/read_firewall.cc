#include "network/firewall/read_firewall.h"

#include <algorithm>
#include <set>

#include "network/firewall/iptables_save.h"
#include "network/firewall/nft_json.h"

namespace lockstep::network {

Firewall read_firewall(const hostinfo::FirewallTexts& texts) {
  Firewall firewall;
  firewall.is_known = texts.was_seen;
  std::set<std::string> written_by_iptables;
  std::set<std::string> legacy;
  for (const hostinfo::IptablesText& text : texts.iptables) {
    auto& tables = text.kind == hostinfo::IptablesKind::kNft ? written_by_iptables : legacy;
    std::ranges::move(iptables_programs(text, tables), std::back_inserter(firewall.programs));
  }
  std::ranges::move(nft_programs(texts.nftables, written_by_iptables, firewall.limits),
                    std::back_inserter(firewall.programs));
  std::ranges::stable_sort(firewall.programs, {}, &Program::priority);
  return firewall;
}

}  // namespace lockstep::network
