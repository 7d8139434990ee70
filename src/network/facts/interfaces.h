// Network interfaces with their addresses, in the order in which the kernel lists them: several libraries
// take the first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/net/address.h"

namespace lockstep::network {

struct InterfaceAddress {
  base::Prefix prefix = {};                // the address with the length of its network
  std::string scope = {};                  // "global", "link", "host"
  std::string label = {};                  // "eth0:1" for an alias
  std::optional<base::Address> peer = {};  // of a point-to-point link
  bool is_temporary = false;               // IPv6 privacy address
  bool is_deprecated = false;

  bool operator==(const InterfaceAddress&) const = default;
};

struct Interface {
  int index = 0;
  std::string name = {};
  std::string kind = {};    // "veth", "bridge", "bond"; empty for a plain device
  std::string master = {};  // the bridge or bond it belongs to
  unsigned mtu = 0;
  bool is_up = false;       // administratively
  bool is_running = false;  // has carrier
  bool is_loopback = false;
  bool is_point_to_point = false;
  std::string hardware_address = {};
  std::optional<unsigned> speed_mbps = {};
  std::vector<InterfaceAddress> addresses = {};

  bool operator==(const Interface&) const = default;
};

}  // namespace lockstep::network
