// A base chain with everything it jumps to, as a list of instructions that only lead forward.
//
//   chain input { tcp dport 22 accept; jump job; drop }      0  tcp dport 22      accept
//   chain job   { tcp dport 29500 accept; return }           1  any               go to 3
//                                                            2  any               go to 5
//                                                            3  tcp dport 29500   accept
//                                                            4  any               go to 5   (return)
//                                                            5  any               drop
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "network/firewall/match.h"

namespace lockstep::network {

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

}  // namespace lockstep::network
