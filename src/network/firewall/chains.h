// Chains as both readers make them, and their compilation into programs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "network/firewall/program.h"

namespace lockstep::network {

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
