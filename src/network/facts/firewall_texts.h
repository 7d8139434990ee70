// The firewall as its own programs print it. Kept whole: what one version of the reader does not understand
// a later one may.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace lockstep::network {

enum class IptablesKind { kNft, kLegacy };

struct IptablesText {
  IptablesKind kind = IptablesKind::kNft;
  bool is_ipv6 = false;
  std::string text = {};  // of iptables-save

  bool operator==(const IptablesText&) const = default;
};

struct FirewallTexts {
  bool was_seen = false;          // false: whether there is a firewall is not known
  base::Json nftables = nullptr;  // of nft -j list ruleset
  std::vector<IptablesText> iptables = {};

  bool operator==(const FirewallTexts&) const = default;
};

}  // namespace lockstep::network
