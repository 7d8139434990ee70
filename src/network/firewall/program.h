// Packets, what rules ask of them, and a firewall's rules as programs: each is a base chain with everything
// it jumps to, as a list of instructions that only lead forward.
//
//   chain input { tcp dport 22 accept; jump job; drop }      0  tcp dport 22      accept
//   chain job   { tcp dport 29500 accept; return }           1  any               go to 3
//                                                            2  any               go to 5
//                                                            3  tcp dport 29500   accept
//                                                            4  any               go to 5   (return)
//                                                            5  any               drop
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/address.h"
#include "network/ports.h"

namespace lockstep::network {

// As masks, so that a rule can name several.
enum Protocol : std::uint8_t { kTcp = 1, kUdp = 2, kIcmp = 4, kOtherProtocol = 8, kAnyProtocol = 15 };
enum ConnectionState : std::uint8_t {
  kNew = 1,
  kEstablished = 2,
  kOtherState = 4,  // related, invalid, untracked
  kAnyState = 7,
};

// The part of a packet's header that is known before its ports: what a sweep holds fixed.
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

// What a firewall rule asks of a packet, in one form for nftables and both kinds of iptables.
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

enum class Hook : std::uint8_t { kPrerouting, kInput, kOutput, kPostrouting };

enum class Decision : std::uint8_t { kAccept, kDrop, kReject, kUnknown };

// Where an instruction stands, for people.
struct RuleOrigin {
  std::string firewall;  // "nftables", "iptables-legacy", "iptables-nft"
  std::string table;     // "inet filter"
  std::string chain;
  std::optional<std::uint64_t> handle = {};
  std::string text;  // the rule in its own words; "policy drop"
};

struct Instruction {
  Match match = {};
  bool is_jump = false;
  Decision decision = Decision::kAccept;  // unless it is a jump
  std::uint32_t target = 0;               // of a jump: a later instruction
  std::uint32_t origin = 0;
};

// Where on a packet's way it is asked, and about which packets.
struct Attachment {
  base::Family family = base::Family::kIpv4;
  bool is_for_both = false;  // families
  Hook hook = Hook::kInput;
  int priority = 0;

  bool applies_to(base::Family other) const { return is_for_both || other == family; }
};

struct Program : Attachment {
  std::vector<Instruction> instructions = {};  // the last one decides everything that is left
  // Of all rules; a program that is narrowed shares those of the whole one.
  std::shared_ptr<std::vector<RuleOrigin>> origins = std::make_shared<std::vector<RuleOrigin>>();
};

struct Firewall {
  std::vector<Program> programs = {};    // by priority
  std::vector<std::string> limits = {};  // what could not be read
  bool is_known = true;                  // false: whether there is one was not seen
};

struct KnownPart {
  Protocol protocol = kTcp;
  ConnectionState state = kNew;
  std::uint8_t tcp_flags = 0;
  base::Address own = {};   // of the host whose firewall it is; the peer's address is open
  bool is_leaving = false;  // otherwise it enters
  PortPairs::Box ports = {};
};

// A firewall without the rules that cannot concern a kind of packets: of thousands of rules few speak of a
// job's ports, and what an early rule decides for all packets needs no later one. Decides every such packet
// as the whole firewall does.
Firewall narrowed(const Firewall& firewall, const KnownPart& known);

// Chains as both readers make them, which are compiled into programs.
enum class Verdict : std::uint8_t { kAccept, kDrop, kReject, kUnknown, kJump, kGoto, kReturn };

struct ChainRule {
  std::vector<Match> alternatives = {};  // it matches when one of them does
  Verdict verdict = Verdict::kAccept;
  std::string target = {};  // of jump and goto
  RuleOrigin origin = {};
};

struct Chain {
  std::vector<ChainRule> rules = {};
};

struct BaseChain : Attachment {
  std::string chain = {};
  bool is_policy_drop = false;
  RuleOrigin policy_origin = {};
};

using Chains = std::map<std::string, Chain>;  // of one table

// A jump into nowhere, a circle, or rules that unfold into more than can be looked at end as unknown.
Program compile(const Chains& chains, const BaseChain& base);

}  // namespace lockstep::network
