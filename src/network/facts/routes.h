// Routes of all tables, the rules that choose among tables, and how many neighbours the kernel keeps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/net/address.h"

namespace lockstep::network {

struct Route {
  std::string table = "main";
  std::string kind = "unicast";  // "local", "broadcast", "multicast", "unreachable", "blackhole", "prohibit"
  base::Prefix destination = {};
  std::optional<base::Address> gateway = {};
  std::string interface = {};
  std::optional<base::Address> source = {};  // preferred
  unsigned metric = 0;
  std::optional<unsigned> mtu = {};
  bool is_usable = true;  // no "linkdown" or "dead" mark

  bool operator==(const Route&) const = default;
};

struct PolicyRule {
  unsigned priority = 0;
  base::Family family = base::Family::kIpv4;
  std::optional<base::Prefix> from = {};
  std::optional<base::Prefix> to = {};
  std::string incoming = {};  // interface
  std::string outgoing = {};  // interface
  std::optional<std::uint32_t> mark = {};
  std::string table = {};
  std::string action = "lookup";  // "unreachable", "blackhole", "prohibit"
  // Selectors that are not in the members above ("ipproto tcp", "not"); the rule is then not decided.
  std::string not_understood = {};

  bool operator==(const PolicyRule&) const = default;
};

struct Neighbours {
  std::optional<std::int64_t> ipv4_count = {};
  std::optional<std::int64_t> ipv4_limit = {};  // gc_thresh3
  std::optional<std::int64_t> ipv6_count = {};
  std::optional<std::int64_t> ipv6_limit = {};

  bool operator==(const Neighbours&) const = default;
};

}  // namespace lockstep::network
