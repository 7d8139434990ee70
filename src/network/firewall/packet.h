// The part of a packet's header that is known before its ports: what a sweep holds fixed.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/net/address.h"

namespace lockstep::network {

// As masks, so that a rule can name several.
enum Protocol : std::uint8_t { kTcp = 1, kUdp = 2, kIcmp = 4, kOtherProtocol = 8, kAnyProtocol = 15 };
enum ConnectionState : std::uint8_t {
  kNew = 1,
  kEstablished = 2,
  kOtherState = 4,  // related, invalid, untracked
  kAnyState = 7,
};

struct Packet {
  Protocol protocol = kTcp;
  ConnectionState state = kNew;
  std::uint8_t tcp_flags = 0x02;  // SYN; a reply has SYN and ACK
  base::Address source = {};
  base::Address destination = {};
  std::string_view incoming = {};  // interface; empty on the way out
  std::string_view outgoing = {};  // interface; empty on the way in
  bool is_source_local = false;    // an address of the host whose firewall is asked
  bool is_destination_local = false;
};

}  // namespace lockstep::network
