// What a firewall rule asks of a packet, in one form for nftables and both kinds of iptables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/net/address.h"
#include "network/firewall/packet.h"
#include "network/ports.h"

namespace lockstep::network {

struct AddressRange {
  base::Address first;
  base::Address last;
  bool operator==(const AddressRange&) const = default;
};

// Addresses as ranges of one family each. `is_inverted` is for "!=" and "! -s".
struct AddressSet {
  std::vector<AddressRange> ranges = {};  // sorted once seal() was called
  bool is_any = true;
  bool is_inverted = false;

  bool contains(const base::Address& address) const;
  void add(AddressRange range);
  void seal();
};

struct InterfaceSet {
  std::vector<std::string> names = {};  // "eth+" and "eth*" stand for all that begin so
  bool is_any = true;
  bool is_inverted = false;

  bool contains(std::string_view name) const;
};

struct Match {
  std::uint8_t protocols = kAnyProtocol;
  std::uint8_t states = kAnyState;
  std::uint8_t tcp_flags_mask = 0;  // of these ...
  std::uint8_t tcp_flags_set = 0;   // ... exactly these
  bool are_flags_inverted = false;
  std::optional<base::Family> family = {};
  std::optional<bool> is_source_local = {};
  std::optional<bool> is_destination_local = {};
  bool never = false;  // asks for what no packet of ours has
  AddressSet source = {};
  AddressSet destination = {};
  InterfaceSet incoming = {};
  InterfaceSet outgoing = {};
  PortPairs::Box ports{PortSet::all(), PortSet::all()};
  std::string not_understood = {};  // the rest of the rule; then the rule may match or not

  // All but the ports, and but what is not understood.
  bool fits(const Packet& packet) const;
};

// Only packets with these ports. False when there are none.
bool narrow_ports(Match& match, const PortSet& ports, bool is_source);

}  // namespace lockstep::network
